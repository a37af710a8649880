// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/script/graphs.h"

namespace targets::graph_argument {

using harness::Ref;

bool is_closed(const GraphBox& graph) {
  if (!graph.orphaned) return false;
  graph.core.facts.tell(&Observer::named_orphan, bits_of(graph.graph),
                        graph.core.policy->sets_tombstones());
  return graph.core.policy->sets_tombstones();
}

void mark_orphaned(GraphBox& graph, CUgraphNode owner) {
  for (GraphBox* child : graph.children) {
    if (owner != nullptr && child->owner != owner) continue;
    child->orphaned = true;
    child->core.facts.tell(&GraphWitness::handle_died, bits_of(child->graph));
    mark_orphaned(*child, nullptr);
  }
}

Ref wrap_graph(Shared<GraphBox> graph) {
  harness::Heap& heap = graph->core.runtime.heap;
  const Ref made =
      heap.make<DefinitionPayload>(kDefinitionType, DefinitionPayload{std::move(graph)});
  made->set("kept", heap.make(kListType));
  return made;
}

Status instantiate_graph(const Shared<GraphBox>& graph, Ref& made) {
  Core& core = graph->core;
  if (is_closed(*graph)) return Status::closed;
  if (core.loops.never_end(graph->id)) return Status::type_error;  // It would run forever.
  CUgraphExec exec = nullptr;
  Keeping* keeping = nullptr;
  if (core.policy->instantiate(*graph, exec, keeping) != CUDA_SUCCESS) return Status::driver_error;
  core.facts.tell(&Observer::bound);
  auto box = Shared<ExecBox>::make(core.arena, core, exec, core.facts.make_exec(graph->id));
  box->keeping = keeping;
  made = core.runtime.heap.make<GraphPayload>(kGraphType, GraphPayload{std::move(box)});
  return Status::ok;
}

}  // namespace targets::graph_argument
