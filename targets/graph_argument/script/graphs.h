// SPDX-License-Identifier: Apache-2.0
// Graphs: operations on a graph that several methods share: check that it exists, wrap it, add a
// node, instantiate it.
#pragma once

#include "targets/graph_argument/policy.h"
#include "targets/graph_argument/script/frame.h"

namespace targets::graph_argument {

/// Returns whether the policy knows that the graph was destroyed with its owner.
bool is_closed(const GraphBox& graph);

/// Marks boxes of graphs inside `owner`, or inside every node if it is null, as orphaned.
void mark_orphaned(GraphBox& graph, CUgraphNode owner);

harness::Ref wrap_graph(Shared<GraphBox> graph);

/// Returns whether the node to depend on was destroyed.
inline bool is_destroyed(const Place& place) {
  return place.node && place.node->payload<NodePayload>().destroyed;
}

inline Shared<GraphBox> graph_of(const harness::Ref& definition) {
  return definition->payload<DefinitionPayload>().graph;
}

/// Makes an executable of the graph and its wrapper.
Status instantiate_graph(const Shared<GraphBox>& graph, harness::Ref& made);

/// Adds a node by `call(graph, dependencies, count, node)`, in three steps: the policy prepares,
/// CUDA adds, the policy commits. All are in one C call, and such calls run one at a time
/// (graph_lock.h), because a CUDA graph is not thread safe.
template <class Call>
Status add_node(const Place& place, const NodeFacts& facts, const Owners& owners,
                harness::Ref& made, Call call) {
  const Shared<GraphBox>& graph = place.graph;
  Core& core = graph->core;
  if (is_closed(*graph) || is_destroyed(place)) return Status::closed;
  Keeping* prepared = nullptr;
  if (const Status status = core.policy->prepare(*graph, owners, prepared); status != Status::ok) {
    core.facts.tell(&GraphWitness::node_refused);
    return status;
  }
  CUgraphNode node = nullptr;
  CUgraphNode after = place.node ? place.node->template payload<NodePayload>().node : nullptr;
  const std::size_t count = after != nullptr ? 1 : 0;
  core.facts.tell(&Observer::comes_after, count);
  if (call(graph->graph, &after, count, &node) != CUDA_SUCCESS) {
    core.facts.tell(&GraphWitness::node_refused);
    core.policy->roll_back(*graph, prepared);
    return Status::driver_error;
  }
  core.facts.tell(&GraphWitness::handle_born, bits_of(node));
  const NodeId id = core.facts.add_node(graph->id, facts);
  core.loops.node_added(graph->id, id, facts);
  core.facts.tell(&Observer::bound);
  const Status status = core.policy->commit(*graph, *place.definition, node, owners, prepared);
  core.facts.tell(&GraphWitness::node_attached, graph->id, id, status == Status::ok);
  if (status != Status::ok) return status;
  made = core.runtime.heap.make<NodePayload>(
      kNodeType, NodePayload{graph, node, id, facts.work, owners.module, facts.bodies});
  return Status::ok;
}

}  // namespace targets::graph_argument
