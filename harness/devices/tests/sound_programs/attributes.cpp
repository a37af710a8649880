// SPDX-License-Identifier: Apache-2.0
// Attributes of launches and of kernel nodes; graphs for the device, and graphs as text.
#include "harness/devices/tests/sound_programs/graph_parts.h"

namespace harness::testing::sound {

static CUlaunchAttribute priority_attribute(Program& p) {
  CUlaunchAttribute made{};
  made.id = p.keep(Rule::launch_attributes_are_known) ? CU_LAUNCH_ATTRIBUTE_PRIORITY
                                                      : static_cast<CUlaunchAttributeID>(99);
  made.value.priority = p.coin() ? 0 : -1;
  return made;
}

/// An event that a launch records may be waited for like any other.
static void launch_that_records(Program& p) {
  const std::size_t home = p.free_home();
  Memory memory = p.memory.make(Kind::plain, home);
  const bool untimed = p.keep(Rule::events_of_launches_have_no_times);
  Event event = p.events.make(untimed ? CU_EVENT_DISABLE_TIMING : CU_EVENT_DEFAULT);
  std::array<CUlaunchAttribute, 2> attributes{priority_attribute(p)};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  attributes[1].value.programmaticEvent = {event.handle, 0, 0};
  CUdeviceptr address = p.memory.use(home, memory);
  int count = 16;
  void* parameters[] = {&address, &count};
  CUlaunchConfig config{};
  config.gridDimX = 2;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 8;
  config.hStream = p.handle(home);
  config.attrs = attributes.data();
  config.numAttrs = p.keep(Rule::counted_attributes_are_there) ? 2 : 0;
  if (config.numAttrs == 0) {
    config.numAttrs = 2;
    config.attrs = nullptr;
  }
  cuLaunchKernelEx(&config, p.kernel, parameters, nullptr);
  p.work(home);
  p.move(event.state, Via::recorded);
  cuEventSynchronize(event.handle);
  p.move(event.state, Via::waited_for);
  p.events.destroy(event);
  p.memory.leave(memory);
}

static void node_attributes(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  CUgraphNode kernel = add_kernel(p, graph, memory.address);
  CUgraphNode other = add_kernel(p, graph, memory.address, {kernel});
  CUgraphNode set = add_set(p, graph, memory.address, {other});
  CUkernelNodeAttrValue value{};
  value.priority = -1;
  const bool kernels = p.keep(Rule::only_kernel_nodes_have_attributes);
  cuGraphKernelNodeSetAttribute(kernels ? kernel : set, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value);
  cuGraphKernelNodeCopyAttributes(
      other, p.keep(Rule::attributes_are_copied_between_kernel_nodes) ? kernel : set);
  CUkernelNodeAttrValue found{};
  cuGraphKernelNodeGetAttribute(other, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &found);
  p.check(found.priority == value.priority, "the copied attribute");
  Exec exec = instantiate(p, graph);
  launch(p, exec, p.any_home());
  destroy(p, exec);
  destroy(p, graph);
  p.memory.leave(memory);
}

/// A graph that the device might launch, and the host does.
static void for_the_device(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  CUgraphNode kernel = add_kernel(p, graph, memory.address);
  if (!p.keep(Rule::graphs_for_the_device_have_no_host_nodes))
    add_host(p, graph, do_nothing, {kernel});
  Exec exec = instantiate(p, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
  launch(p, exec, p.any_home());
  destroy(p, exec);
  destroy(p, graph);
  p.memory.leave(memory);
}

static void as_text(Program& p) {
  Graph graph = make_graph(p);
  add_empty(p, graph, {add_empty(p, graph)});
  const bool there = p.keep(Rule::files_can_be_written);
  cuGraphDebugDotPrint(graph.handle, there ? "/dev/null" : "/no/such/folder/graph.dot", 0);
  destroy(p, graph);
}

Steps attribute_steps() {
  static constexpr Program::Step kSteps[] = {launch_that_records, node_attributes, for_the_device,
                                             as_text};
  return kSteps;
}

}  // namespace harness::testing::sound
