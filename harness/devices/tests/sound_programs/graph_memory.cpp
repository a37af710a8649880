// SPDX-License-Identifier: Apache-2.0
// Allocation and free nodes: one address, a new lifetime with each launch, and four ways to end it.
#include "harness/devices/tests/sound_programs/graph_parts.h"

namespace harness::testing::sound {

namespace {

struct NodeMemory {
  CUgraphNode node = nullptr;
  CUdeviceptr address = 0;
  State state = State::node_memory_none;
};

CUDA_MEM_ALLOC_NODE_PARAMS wanted(std::size_t bytes) {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  params.bytesize = bytes;
  return params;
}

NodeMemory add_allocation(Program& p, Graph& graph) {
  CUDA_MEM_ALLOC_NODE_PARAMS params =
      wanted(p.keep(Rule::allocation_nodes_have_a_size) ? kBytes : 0);
  NodeMemory made;
  cuGraphAddMemAllocNode(&made.node, graph.handle, nullptr, 0, &params);
  made.address = params.dptr;
  added(p, graph, made.node);
  p.move(made.state, Via::added);
  return made;
}

CUgraphNode add_free(Program& p, Graph& graph, CUdeviceptr address, After after = {}) {
  CUgraphNode node = nullptr;
  cuGraphAddMemFreeNode(&node, graph.handle, std::data(after), after.size(), address);
  return added(p, graph, node);
}

/// The address is known after the graph was made; it may be reused once the graph is gone.
void launched(Program& p, Exec& exec, NodeMemory& memory, std::size_t home) {
  launch(p, exec, home);
  p.move(memory.state, Via::launched);
}

}  // namespace

/// Allocated, used and freed by the same graph.
static void within_a_graph(Program& p) {
  Graph graph = make_graph(p);
  NodeMemory memory = add_allocation(p, graph);
  const bool after = p.keep(Rule::node_memory_is_used_after_its_allocation);
  CUgraphNode set = add_set(p, graph, memory.address, {after ? memory.node : add_empty(p, graph)});
  const bool before = p.keep(Rule::node_memory_is_used_before_its_free);
  CUgraphNode free = add_free(p, graph, memory.address, {before ? set : memory.node});
  if (!p.keep(Rule::node_memory_is_freed_once_in_a_graph)) add_free(p, graph, memory.address);
  CUDA_MEM_ALLOC_NODE_PARAMS found{};
  cuGraphMemAllocNodeGetParams(memory.node, &found);
  CUdeviceptr freed = 0;
  cuGraphMemFreeNodeGetParams(free, &freed);
  p.check(freed == memory.address && found.dptr == freed, "the same memory");
  Exec exec = instantiate(p, graph);
  for (std::size_t i = 1 + p.below(2); i > 0; --i) {
    launched(p, exec, memory, p.any_home());
    p.move(memory.state, Via::freed_by_its_graph);
  }
  const bool inside = p.keep(Rule::what_a_graph_frees_is_its_own);
  if (!inside) cuMemFreeAsync(memory.address, p.handle(exec.home));
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
}

/// Memory that a graph does not free is the stream's to free.
static void freed_by_the_stream(Program& p) {
  const std::size_t home = p.any_home();
  Graph graph = make_graph(p);
  NodeMemory memory = add_allocation(p, graph);
  Exec exec = instantiate(p, graph);
  if (p.keep(Rule::graphs_are_launched_before_their_memory_is_used))
    launched(p, exec, memory, home);
  p.set(home, memory.address);
  if (!p.keep(Rule::node_memory_is_freed_before_the_next_launch)) launch(p, exec, home);
  cuMemFreeAsync(memory.address, p.handle(home));
  p.work(home);
  p.move(memory.state, Via::freed_in_a_stream);
  if (!p.keep(Rule::node_memory_is_freed_once)) cuMemFreeAsync(memory.address, p.handle(home));
  if (!p.keep(Rule::node_memory_is_used_while_alive)) p.set(home, memory.address);
  launched(p, exec, memory, home);
  p.wait(home);
  cuMemFree_v2(memory.address);
  p.move(memory.state, Via::freed_by_the_host);
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
}

static void freed_by_another_graph(Program& p) {
  const std::size_t home = p.any_home();
  Graph graph = make_graph(p);
  Graph other = make_graph(p);
  NodeMemory memory = add_allocation(p, graph);
  add_free(p, other, memory.address);
  if (!p.keep(Rule::one_graph_frees_what_a_node_allocates)) add_free(p, graph, memory.address);
  Exec exec = instantiate(p, graph);
  Exec freeing = instantiate(p, other);
  for (int i = 0; i < 2; ++i) {
    launched(p, exec, memory, home);
    launch(p, freeing, home);
    p.move(memory.state, Via::freed_by_another_graph);
  }
  wait(p, freeing);
  destroy(p, exec);
  destroy(p, freeing);
  destroy(p, graph);
  destroy(p, other);
}

static void freed_by_the_next_launch(Program& p) {
  const std::size_t home = p.any_home();
  Graph graph = make_graph(p);
  NodeMemory memory = add_allocation(p, graph);
  Exec exec = instantiate(p, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  launched(p, exec, memory, home);
  p.set(home, memory.address);
  p.move(memory.state, Via::freed_by_the_next_launch);
  launched(p, exec, memory, home);
  cuMemFreeAsync(memory.address, p.handle(home));
  p.work(home);
  p.move(memory.state, Via::freed_in_a_stream);
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
}

static void not_taken_apart(Program& p) {
  Graph graph = make_graph(p);
  NodeMemory memory = add_allocation(p, graph);
  add_free(p, graph, memory.address, {memory.node});
  Graph copy;
  if (!p.keep(Rule::graphs_with_memory_are_not_cloned)) cuGraphClone(&copy.handle, graph.handle);
  if (!p.keep(Rule::nodes_stay_in_graphs_with_memory)) cuGraphDestroyNode(memory.node);
  Exec exec = instantiate(p, graph);
  Exec second;
  if (!p.keep(Rule::graphs_with_memory_have_one_executable))
    cuGraphInstantiateWithFlags(&second.handle, graph.handle, 0);
  destroy(p, exec);
  destroy(p, graph);
}

static void attributes(Program& p) {
  cuuint64_t bytes = 0;
  cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes);
  bytes = p.keep(Rule::graph_marks_are_only_set_back) ? 0 : 1;
  cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &bytes);
  cuDeviceGraphMemTrim(p.keep(Rule::trimmed_devices_are_there) ? 0 : 99);
}

Steps graph_memory_steps() {
  static constexpr Program::Step kSteps[] = {within_a_graph,         freed_by_the_stream,
                                             freed_by_another_graph, freed_by_the_next_launch,
                                             not_taken_apart,        attributes};
  return kSteps;
}

}  // namespace harness::testing::sound
