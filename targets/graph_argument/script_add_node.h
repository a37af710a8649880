// Script::add_node: a node goes in three steps. The policy prepares, CUDA adds, the policy commits;
// all in one C call, under the GIL: a CUDA graph is not thread safe.
#pragma once

#include "targets/graph_argument/script.h"

namespace targets::graph_argument {

inline Shared<GraphBox> graph_of(const harness::Ref& definition) {
  return definition->payload<DefinitionPayload>().graph;
}

template <class Call>
Status Script::add_node(const Ref& definition, const NodeFacts& facts, const Owners& owners,
                        Ref& made, Call call) {
  const Shared<GraphBox> graph = graph_of(definition);
  if (is_closed(*graph)) return Status::closed;
  Keeping* prepared = nullptr;
  if (const Status status = policy_.prepare(*graph, owners, prepared); status != Status::ok) {
    tell(&Witness::node_refused);
    return status;
  }
  CUgraphNode node = nullptr;
  const std::size_t count = graph->last != nullptr ? 1 : 0;
  tell(&Observer::comes_after, count);
  if (call(graph->graph, &graph->last, count, &node) != CUDA_SUCCESS) {
    tell(&Witness::node_refused);
    policy_.roll_back(*graph, prepared);
    return Status::driver_error;
  }
  graph->last = node;
  tell(&Witness::handle_born, bits_of(node));
  const NodeId id = core_.facts.add_node(graph->id, facts);
  tell(&Observer::bound);
  const Status status = policy_.commit(*graph, *definition, node, owners, prepared);
  tell(&Witness::node_attached, graph->id, id, status == Status::ok);
  if (status != Status::ok) return status;
  made = make(kNodeType, NodePayload{graph, node, id, facts.work, owners.module, facts.bodies});
  return Status::ok;
}

}  // namespace targets::graph_argument
