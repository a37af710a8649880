// SPDX-License-Identifier: Apache-2.0
// The table of variants: each row is a policy of the target, by name, with its author's claim. The
// first is the path as shipped.
#include "scenarios/graph_argument/variants.h"

#include "harness/run/scenario/variants.h"

namespace scenarios::graph_argument {
namespace {

using harness::ClaimKind;
using harness::Label;

/// Hazards of all variants that release objects on whatever thread it happens.
constexpr Label kBorrow[] = {"argument_dropped",
                             "node_changed",
                             "definition_dropped",
                             "executable_closed",
                             "child_destroyed",
                             "dropped_in_callback",
                             "dropped_in_flight",
                             "stream_or_event_closed",
                             "attachment_failed",
                             "handle_reused",
                             "leak"};
constexpr Label kDefinition[] = {"argument_dropped",
                                 "operand_dropped",
                                 "node_changed",
                                 "executable_changed",
                                 "definition_dropped",
                                 "executable_closed",
                                 "child_destroyed",
                                 "dropped_in_callback",
                                 "dropped_in_flight",
                                 "stream_or_event_closed",
                                 "attachment_failed",
                                 "handle_reused",
                                 "leak"};
constexpr Label kTuple[] = {"operand_dropped",     "node_changed",      "executable_changed",
                            "definition_dropped",  "executable_closed", "child_destroyed",
                            "dropped_in_callback", "dropped_in_flight", "stream_or_event_closed",
                            "attachment_failed",   "handle_reused",     "leak"};
constexpr Label kSlots[] = {"operand_dropped",        "node_changed",
                            "executable_changed",     "executable_closed",
                            "child_destroyed",        "dropped_in_callback",
                            "stream_or_event_closed", "handle_reused",
                            "capture_invalidated",    "leak"};
/// Hazards of the current release.
constexpr Label kToday[] = {"dropped_in_callback", "update_failed", "capture_invalidated",
                            "pending_queue_full"};
constexpr Label kForever[] = {"leak"};
constexpr Label kGil[] = {"gil_kept_in_call"};

/// A graph that was destroyed with its node is closed, and calls that name it are refused.
constexpr harness::DocumentedRefusal kDocumentedRefusals[] = {{"child_destroyed", "closed"}};

constexpr harness::VariantInfo kVariants[] = {
    {"borrow",
     {ClaimKind::unsound, kBorrow, false,
      "cuda.core 0.7.0: argument values are copied; kernels, events and functions are attached"}},
    {"keep_on_definition",
     {ClaimKind::unsound, kDefinition, false,
      "a list on the GraphDefinition wrapper: not for clones and executables, which outlive it"}},
    {"user_object_tuple",
     {ClaimKind::unsound, kTuple, false,
      "#2041: the arguments' tuple as a user object, counted down on CUDA's thread"}},
    {"slot_table",
     {ClaimKind::unsound, kSlots, false,
      "#2280: a table of owners per graph, which clones and executables share"}},
    {"move_to_graph",
     {ClaimKind::unsound, kToday, false,
      "cuda.core 1.2.2: the graph has the only reference of each attachment; little is retried",
      kDocumentedRefusals}},
    {"retain_per_node",
     {ClaimKind::sound,
      {},
      false,
      "#2357 and what followed: an attachment per version of a node, let go of on the main "
      "thread",
      kDocumentedRefusals}},
    {"retain_forever",
     {ClaimKind::unsound, kForever, true, "a list of the module's that nothing ever leaves",
      kDocumentedRefusals}},
    {"gil_kept",
     {ClaimKind::unsound, kGil, false,
      "retain_per_node, but CUDA calls that do not wait keep the GIL: numba-cuda#317",
      kDocumentedRefusals}},
    {"gil_kept_in_deleters",
     {ClaimKind::unsound, kGil, false,
      "retain_per_node, but deleters keep the GIL, and destructors of user objects take it",
      kDocumentedRefusals}},
};

}  // namespace

std::span<const harness::VariantInfo> variants() { return kVariants; }

const targets::graph_argument::Api& api_of(std::size_t variant) {
  for (const targets::graph_argument::NamedPolicy& policy : targets::graph_argument::policies())
    if (policy.name == kVariants[variant].name) return policy.api;
  HARNESS_CHECK(false, "each variant is a policy of the target");
}

Maker maker_of(std::size_t variant) {
  return harness::find_maker<targets::graph_argument::policies, variants>(variant);
}

}  // namespace scenarios::graph_argument
