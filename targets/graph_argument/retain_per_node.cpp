// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/retain_per_node.h"

#include <algorithm>

namespace targets::graph_argument {

// ---- on CUDA's thread ---------------------------------------------------------------------------

void RetainPerNode::destroy_accumulator(void* data) {
  auto& accumulator = *static_cast<Accumulator*>(data);
  const DestructorScope scope(accumulator.policy.core_);
  const DestructorGil gil(accumulator.policy);
  for (Owners* owners : accumulator.owners) accumulator.policy.deferred_.push(*owners);
}

// ---- executables --------------------------------------------------------------------------------

RetainPerNode::Accumulator* RetainPerNode::accumulate(GraphBox& graph) {
  auto* made = core_.arena.make<Accumulator>(*this);
  if (cuUserObjectCreate(&made->object, made, destroy_accumulator, 1,
                         CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) != CUDA_SUCCESS)
    return nullptr;
  if (cuGraphRetainUserObject(graph.graph, made->object, 1, 0) == CUDA_SUCCESS) return made;
  cuUserObjectRelease(made->object, 1);
  return nullptr;
}

CUresult RetainPerNode::instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& keeping) {
  Accumulator* accumulator = accumulate(graph);
  if (accumulator == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = Policy::instantiate(graph, exec, keeping);
  cuGraphReleaseUserObject(graph.graph, accumulator->object, 1);
  if (result != CUDA_SUCCESS) {
    cuUserObjectRelease(accumulator->object, 1);
    return result;
  }
  auto* accumulators = core_.arena.make<Accumulators>();
  accumulators->held.push_back(accumulator);
  keeping = accumulators;
  return result;
}

// Appends to each accumulator that the executable may hold. A launch in progress keeps what the
// executable held, and no more.
void RetainPerNode::prepare_update(ExecBox& exec, const Owners& owners) {
  core_.facts.tell(&ExecWitness::exec_appended, exec.id);
  for (Accumulator* accumulator : static_cast<Accumulators*>(exec.keeping)->held)
    accumulator->owners.push_back(core_.arena.make<Owners>(owners));
}

void RetainPerNode::roll_back_update(ExecBox& exec) {
  for (Accumulator* accumulator : static_cast<Accumulators*>(exec.keeping)->held) {
    *accumulator->owners.back() = {};
    accumulator->owners.pop_back();
  }
}

// Keeps both accumulators after a failure: it is unknown which one the executable holds.
CUresult RetainPerNode::update(ExecBox& exec, GraphBox& graph) {
  Accumulator* accumulator = accumulate(graph);
  if (accumulator == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = Policy::update(exec, graph);
  cuGraphReleaseUserObject(graph.graph, accumulator->object, 1);
  auto& accumulators = *static_cast<Accumulators*>(exec.keeping);
  accumulators.held.push_back(accumulator);
  if (result == CUDA_SUCCESS) give_up(accumulators, 0, accumulators.held.size() - 1);
  return result;
}

void RetainPerNode::give_up(Accumulators& accumulators, std::size_t first, std::size_t last) {
  const auto begin = accumulators.held.begin();
  const std::pmr::vector<Accumulator*> given_up(begin + static_cast<std::ptrdiff_t>(first),
                                                begin + static_cast<std::ptrdiff_t>(last));
  accumulators.held.erase(begin + static_cast<std::ptrdiff_t>(first),
                          begin + static_cast<std::ptrdiff_t>(last));
  for (const Accumulator* accumulator : given_up)
    release({ResourceKind::user_object, bits_of(accumulator->object)});
}

void RetainPerNode::dropped(ExecBox& exec) {
  auto& accumulators = *static_cast<Accumulators*>(exec.keeping);
  give_up(accumulators, 0, accumulators.held.size());
}

// ---- the end of things --------------------------------------------------------------------------

// Defers the release on a CUDA thread. Pushes our context on a thread that has none.
void RetainPerNode::release(Garbage garbage) {
  if (core_.in_callback()) return deferred_.push(std::move(garbage));
  CUcontext current = nullptr;
  const bool pushes = cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == nullptr &&
                      cuCtxPushCurrent(core_.context) == CUDA_SUCCESS;
  carry_out(core_, garbage);
  if (pushes) cuCtxPopCurrent(&current);
}

}  // namespace targets::graph_argument
