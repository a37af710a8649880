// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/move_to_graph.h"

namespace targets::graph_argument {

MoveToGraph::Accumulator::Accumulator(MoveToGraph& policy)
    : policy(policy), life(policy.core_.ledger.born(kAccumulatorKind, 0, 0)) {}

void MoveToGraph::Accumulator::drop() {
  policy.core_.ledger.died(life);
  owners.clear();
}

void MoveToGraph::destroy_accumulator(void* data) {
  auto& accumulator = *static_cast<Accumulator*>(data);
  const DestructorScope scope(accumulator.policy.core_);
  accumulator.policy.queue_.push(accumulator);
}

// Makes no user object for a node without owners, and does not retry the pending call either.
Status MoveToGraph::prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) {
  if (!owners.any()) return Status::ok;
  queue_.retry();
  return AttachPerNode::prepare(graph, owners, prepared);
}

// ---- executables --------------------------------------------------------------------------------

MoveToGraph::Accumulator* MoveToGraph::stage(GraphBox& graph) {
  queue_.retry();
  auto* made = core_.arena.make<Accumulator>(*this);
  if (cuUserObjectCreate(&made->object, made, destroy_accumulator, 1,
                         CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) != CUDA_SUCCESS) {
    made->drop();
    return nullptr;
  }
  if (cuGraphRetainUserObject(graph.graph, made->object, 1, CU_GRAPH_USER_OBJECT_MOVE) ==
      CUDA_SUCCESS)
    return made;
  cuUserObjectRelease(made->object, 1);
  return nullptr;
}

// The executable takes its own reference from the graph; then the graph's is released.
CUresult MoveToGraph::instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& keeping) {
  Accumulator* accumulator = stage(graph);
  if (accumulator == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = Policy::instantiate(graph, exec, keeping);
  auto* named = core_.arena.make<Named>();
  named->accumulator = accumulator;
  keeping = named;
  cuGraphReleaseUserObject(graph.graph, accumulator->object, 1);
  return result;
}

MoveToGraph::Accumulator& MoveToGraph::named(ExecBox& exec) {
  Accumulator& accumulator = *static_cast<Named*>(exec.keeping)->accumulator;
  if (!core_.ledger.alive(accumulator.life) &&
      !core_.ledger.used(accumulator.life, harness::BirthId::none))
    core_.scheduler.die();
  return accumulator;
}

void MoveToGraph::prepare_update(ExecBox& exec, const Owners& owners) {
  core_.facts.tell(&ExecWitness::exec_appended, exec.id);
  named(exec).owners.push_back(owners);
}

void MoveToGraph::roll_back_update(ExecBox& exec) { named(exec).owners.pop_back(); }

// After a failure the handle still names the old accumulator, even if it is gone.
CUresult MoveToGraph::update(ExecBox& exec, GraphBox& graph) {
  Accumulator* accumulator = stage(graph);
  if (accumulator == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = Policy::update(exec, graph);
  if (result == CUDA_SUCCESS) static_cast<Named*>(exec.keeping)->accumulator = accumulator;
  cuGraphReleaseUserObject(graph.graph, accumulator->object, 1);
  return result;
}

// ---- the end of things --------------------------------------------------------------------------

// The dropping thread destroys it, in our context if it has none. The end of a graph or executable
// is one of the few places that retry the pending call.
void MoveToGraph::release(Garbage garbage) {
  CUcontext current = nullptr;
  const bool pushes = cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == nullptr &&
                      cuCtxPushCurrent(core_.context) == CUDA_SUCCESS;
  carry_out(core_, garbage);
  if (pushes) cuCtxPopCurrent(&current);
  if (garbage.kind == ResourceKind::graph || garbage.kind == ResourceKind::exec) queue_.retry();
}

}  // namespace targets::graph_argument
