// The table of variants, with what each author claims. The first is the path as shipped.
#include "targets/graph_argument/borrow.h"
#include "targets/graph_argument/keep_on_definition.h"
#include "targets/graph_argument/retain_forever.h"
#include "targets/graph_argument/retain_per_node.h"
#include "targets/graph_argument/script.h"
#include "targets/graph_argument/slot_table.h"
#include "targets/graph_argument/user_object_tuple.h"

namespace targets::graph_argument {

using harness::Claim;
using harness::ClaimKind;
using harness::Label;
using harness::Runtime;
using harness::Variant;

Label to_label(Status status) {
  static constexpr std::array<Label, kStatusCount> kLabels{
      "ok", "name_error", "type_error", "closed", "driver_error", "update_failed", "finalized"};
  return kLabels[harness::raw(status)];
}

namespace {

/// What all that let go of things on whatever thread it happens have in common.
constexpr Label kBorrow[] = {"R1",  "R2",  "R6",  "R7",  "R8",  "R9",       "R10",
                             "R11", "R12", "R13", "R16", "R18", "retention"};
constexpr Label kDefinition[] = {"R1",  "R2",  "R6",  "R7",  "R8",  "R9",       "R10",
                                 "R11", "R12", "R13", "R16", "R18", "retention"};
constexpr Label kTuple[] = {"R2",  "R6",  "R7",  "R8",  "R9",  "R10",
                            "R11", "R12", "R13", "R16", "R18", "retention"};
constexpr Label kSlots[] = {"R2",  "R6",  "R7",  "R9",       "R10",
                            "R11", "R13", "R18", "R19", "retention"};
constexpr Label kForever[] = {"retention"};

template <class Lifetime>
GraphArgument* make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  Policy& policy = *arena.make<Lifetime>(core);
  return arena.make<Script>(core, policy);
}

constexpr Variant<GraphArgument, const Setup&> kVariants[] = {
    {"borrow",
     {ClaimKind::unsound, kBorrow, false,
      "cuda.core 0.7.0: argument values are copied; kernels, events and functions are attached"},
     make<Borrow>},
    {"keep_on_definition",
     {ClaimKind::unsound, kDefinition, false,
      "a list on the GraphDefinition wrapper: not for clones and executables, which outlive it"},
     make<KeepOnDefinition>},
    {"user_object_tuple",
     {ClaimKind::unsound, kTuple, false,
      "#2041: the arguments' tuple as a user object, counted down on CUDA's thread"},
     make<UserObjectTuple>},
    {"slot_table",
     {ClaimKind::unsound, kSlots, false,
      "#2280: a table of owners per graph, which clones and executables share"},
     make<SlotTable>},
    {"retain_per_node",
     {ClaimKind::sound,
      {},
      false,
      "#2357 and what followed: an attachment per version of a node, let go of on the main thread"},
     make<RetainPerNode>},
    {"retain_forever",
     {ClaimKind::unsound, kForever, true, "a list of the module's that nothing ever leaves"},
     make<RetainForever>},
};

}  // namespace

std::span<const Variant<GraphArgument, const Setup&>> variants() { return kVariants; }

}  // namespace targets::graph_argument
