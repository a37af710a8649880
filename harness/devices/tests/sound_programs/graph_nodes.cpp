// SPDX-License-Identifier: Apache-2.0
// Nodes of each type: created, queried and set, by the functions of the type and by the generic
// ones.
#include "harness/devices/tests/sound_programs/graph_parts.h"

namespace harness::testing::sound {

static void kernel_node(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  State state = State::node_none;
  CUgraphNode node = add_kernel(p, graph, memory.address);
  p.move(state, Via::added);
  CUDA_KERNEL_NODE_PARAMS params{};
  cuGraphKernelNodeGetParams_v2(node, &params);
  params.gridDimX = p.keep(Rule::node_grids_are_not_empty) ? 1 : 0;
  cuGraphKernelNodeSetParams_v2(node, &params);
  p.move(state, Via::set);
  CUgraphNodeType type{};
  cuGraphNodeGetType(node, &type);
  p.check(type == CU_GRAPH_NODE_TYPE_KERNEL, "a kernel node");
  if (!p.keep(Rule::nodes_are_asked_by_their_type)) {
    CUDA_HOST_NODE_PARAMS host{};
    cuGraphHostNodeGetParams(node, &host);
  }
  cuGraphDestroyNode(node);
  p.move(state, Via::removed);
  p.move(graph.state, Via::node_removed);
  destroy(p, graph);
  p.memory.leave(memory);
}

static void set_node(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  CUgraphNode node = add_set(p, graph, memory.address);
  CUDA_MEMSET_NODE_PARAMS params{};
  cuGraphMemsetNodeGetParams(node, &params);
  params.elementSize = p.keep(Rule::elements_have_a_fitting_size) ? 4 : 3;
  cuGraphMemsetNodeSetParams(node, &params);
  destroy(p, graph);
  p.memory.leave(memory);
}

static void copy_node(Program& p) {
  Memory source = p.memory.make(Kind::plain, 0);
  Memory target = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  CUgraphNode node = add_copy(p, graph, target.address, source.address);
  CUDA_MEMCPY3D params{};
  cuGraphMemcpyNodeGetParams(node, &params);
  params.WidthInBytes = p.keep(Rule::copies_have_a_size) ? 8 : 0;
  cuGraphMemcpyNodeSetParams(node, &params);
  destroy(p, graph);
  p.memory.leave(source);
  p.memory.leave(target);
}

static void call_cuda(void*) { ::cuCtxSynchronize(); }

static void host_node(Program& p) {
  Graph graph = make_graph(p);
  CUgraphNode node = add_host(p, graph, count_call);
  CUDA_HOST_NODE_PARAMS params{};
  cuGraphHostNodeGetParams(node, &params);
  params.fn = p.keep(Rule::host_nodes_call_no_cuda) ? do_nothing : call_cuda;
  if (!p.keep(Rule::host_nodes_have_a_function)) params.fn = nullptr;
  cuGraphHostNodeSetParams(node, &params);
  Exec exec = instantiate(p, graph);
  launch(p, exec, p.any_home());
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
}

static void event_nodes(Program& p) {
  Event first = p.events.make();
  Event second = p.events.make();
  Graph graph = make_graph(p);
  CUgraphNode record = nullptr;
  CUgraphNode wait_node = nullptr;
  cuGraphAddEventRecordNode(&record, graph.handle, nullptr, 0, first.handle);
  added(p, graph, record);
  cuGraphAddEventWaitNode(&wait_node, graph.handle, &record, 1, first.handle);
  added(p, graph, wait_node);
  CUevent found = nullptr;
  cuGraphEventRecordNodeGetEvent(record, &found);
  p.check(found == first.handle, "the event that is recorded");
  cuGraphEventWaitNodeGetEvent(wait_node, &found);
  p.check(found == first.handle, "the event that is waited for");
  cuGraphEventRecordNodeSetEvent(record, second.handle);
  cuGraphEventWaitNodeSetEvent(wait_node, second.handle);
  Exec exec = instantiate(p, graph);
  if (!p.keep(Rule::events_of_nodes_are_alive)) cuEventDestroy_v2(second.handle);
  launch(p, exec, p.any_home());
  p.move(second.state, Via::recorded);
  wait(p, exec);
  p.move(second.state, Via::waited_for);
  destroy(p, exec);
  destroy(p, graph);
  p.events.destroy(first);
  p.events.destroy(second);
}

static void batch_node(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0, 8);
  CUstreamBatchMemOpParams op{};
  op.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  op.writeValue.address = memory.address;
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{p.context, 1, &op, 0};
  Graph graph = make_graph(p);
  CUgraphNode node = nullptr;
  cuGraphAddBatchMemOpNode(&node, graph.handle, nullptr, 0, &params);
  added(p, graph, node);
  CUDA_BATCH_MEM_OP_NODE_PARAMS found{};
  cuGraphBatchMemOpNodeGetParams(node, &found);
  p.check(found.count == 1, "one operation");
  op.writeValue.value = 7;
  params.flags = p.keep(Rule::batch_nodes_have_no_flags) ? 0 : 1;
  cuGraphBatchMemOpNodeSetParams(node, &params);
  Exec exec = instantiate(p, graph);
  params.flags = 0;
  cuGraphExecBatchMemOpNodeSetParams(exec.handle, node, &params);
  p.move(exec.state, Via::set);
  launch(p, exec, p.any_home());
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
  p.memory.leave(memory);
}

/// Uses the functions for nodes of any type.
static void any_node(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_MEMSET;
  params.memset.dst = memory.address;
  params.memset.elementSize = 4;
  params.memset.width = params.memset.height = 1;
  params.memset.ctx = p.context;
  Graph graph = make_graph(p);
  CUgraphNode node = nullptr;
  cuGraphAddNode_v2(&node, graph.handle, nullptr, nullptr, 0, &params);
  added(p, graph, node);
  params.memset.value = 5;
  if (!p.keep(Rule::nodes_are_set_by_their_type)) params.type = CU_GRAPH_NODE_TYPE_HOST;
  cuGraphNodeSetParams(node, &params);
  Exec exec = instantiate(p, graph);
  cuGraphExecNodeSetParams(exec.handle, node, &params);
  p.move(exec.state, Via::set);
  launch(p, exec, p.any_home());
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
  p.memory.leave(memory);
}

Steps graph_node_steps() {
  static constexpr Program::Step kSteps[] = {kernel_node, set_node,   copy_node, host_node,
                                             event_nodes, batch_node, any_node};
  return kSteps;
}

}  // namespace harness::testing::sound
