// SPDX-License-Identifier: Apache-2.0
// Table of policies, by name. Each is one way to manage lifetimes. The first is the path as
// shipped.
#include "targets/graph_argument/borrow.h"
#include "targets/graph_argument/gil_kept.h"
#include "targets/graph_argument/gil_kept_in_deleters.h"
#include "targets/graph_argument/keep_on_definition.h"
#include "targets/graph_argument/move_to_graph.h"
#include "targets/graph_argument/retain_forever.h"
#include "targets/graph_argument/retain_per_node.h"
#include "targets/graph_argument/script/script.h"
#include "targets/graph_argument/slot_table.h"
#include "targets/graph_argument/user_object_tuple.h"

namespace targets::graph_argument {

using harness::Label;
using harness::Runtime;

Label to_label(Status status) {
  static constexpr std::array<Label, kStatusCount> kLabels{
      "ok", "name_error", "type_error", "closed", "driver_error", "update_failed", "finalized"};
  return kLabels[harness::raw(status)];
}

namespace {

template <class Which>
GraphArgument make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  core.api = Which::kApi;
  core.policy = arena.make<Which>(core);
  return arena.make<Script>(core)->parts();
}

constexpr NamedPolicy kPolicies[] = {
    {"borrow", Borrow::kApi, make<Borrow>},
    {"keep_on_definition", KeepOnDefinition::kApi, make<KeepOnDefinition>},
    {"user_object_tuple", UserObjectTuple::kApi, make<UserObjectTuple>},
    {"slot_table", SlotTable::kApi, make<SlotTable>},
    {"move_to_graph", MoveToGraph::kApi, make<MoveToGraph>},
    {"retain_per_node", RetainPerNode::kApi, make<RetainPerNode>},
    {"retain_forever", RetainForever::kApi, make<RetainForever>},
    {"gil_kept", GilKept::kApi, make<GilKept>},
    {"gil_kept_in_deleters", GilKeptInDeleters::kApi, make<GilKeptInDeleters>},
};

}  // namespace

std::span<const NamedPolicy> policies() { return kPolicies; }

}  // namespace targets::graph_argument
