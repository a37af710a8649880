// SPDX-License-Identifier: Apache-2.0
// Executable graphs: launched, uploaded, changed while launches are in flight, updated, and
// destroyed.
#include "harness/devices/tests/sound_programs/graph_parts.h"

namespace harness::testing::sound {

namespace {

/// One node of each type that an executable may change, one after the other.
struct Chain {
  Graph graph;
  CUgraphNode kernel = nullptr;
  CUgraphNode set = nullptr;
  CUgraphNode copy = nullptr;
  CUgraphNode host = nullptr;
  CUgraphNode record = nullptr;
  CUgraphNode wait = nullptr;
  CUgraphNode child = nullptr;
};

/// The memory that a chain works on.
struct Material {
  Memory first;
  Memory second;
  Event event;
};

Material make_material(Program& p) {
  return {p.memory.make(Kind::plain, 0), p.memory.make(Kind::plain, 0), p.events.make()};
}

void free_material(Program& p, Material& material) {
  p.memory.leave(material.first);
  p.memory.leave(material.second);
  p.events.destroy(material.event);
}

Graph make_child(Program& p, const Material& on) {
  Graph graph = make_graph(p);
  add_kernel(p, graph, on.first.address);
  return graph;
}

Chain make_chain(Program& p, const Material& on) {
  Chain made;
  Graph& graph = made.graph = make_graph(p);
  made.set = add_set(p, graph, on.first.address);
  made.kernel = add_kernel(p, graph, on.first.address, {made.set});
  made.copy = add_copy(p, graph, on.second.address, on.first.address, {made.kernel});
  made.host = add_host(p, graph, count_call, {made.copy});
  cuGraphAddEventRecordNode(&made.record, graph.handle, &made.host, 1, on.event.handle);
  cuGraphAddEventWaitNode(&made.wait, graph.handle, &made.record, 1, on.event.handle);
  Graph child = make_child(p, on);
  cuGraphAddChildGraphNode(&made.child, graph.handle, &made.wait, 1, child.handle);
  destroy(p, child);
  return made;
}

/// One node of the executable gets other parameters; launches in flight keep theirs.
void change(Program& p, Exec& exec, const Chain& chain, const Material& on) {
  CUdeviceptr address = on.second.address;
  int count = 16;
  void* values[] = {&address, &count};
  const CUDA_KERNEL_NODE_PARAMS kernel = kernel_params(p.kernel, values, 2, 8);
  const CUDA_MEMSET_NODE_PARAMS set = set_params(on.second.address, 2, 4);
  const CUDA_MEMCPY3D copy = copy_params(on.first.address, on.second.address, kBytes);
  const CUDA_HOST_NODE_PARAMS host{do_nothing, nullptr};
  switch (p.below(7)) {
    case 0:
      cuGraphExecKernelNodeSetParams_v2(exec.handle, chain.kernel, &kernel);
      break;
    case 1:
      cuGraphExecMemsetNodeSetParams(exec.handle, chain.set, &set, p.context);
      break;
    case 2:
      cuGraphExecMemcpyNodeSetParams(exec.handle, chain.copy, &copy, p.context);
      break;
    case 3:
      cuGraphExecHostNodeSetParams(exec.handle, chain.host, &host);
      break;
    case 4:
      cuGraphExecEventRecordNodeSetEvent(exec.handle, chain.record, on.event.handle);
      break;
    case 5:
      cuGraphExecEventWaitNodeSetEvent(exec.handle, chain.wait, on.event.handle);
      break;
    default: {
      Graph child = make_child(p, on);
      cuGraphExecChildGraphNodeSetParams(exec.handle, chain.child, child.handle);
      destroy(p, child);
    }
  }
  p.move(exec.state, Via::set);
}

void upload(Program& p, Exec& exec, std::size_t home) {
  cuGraphUpload(exec.handle, p.handle(home));
  p.work(home);
  p.move(exec.state, Via::uploaded);
}

void switch_off_and_on(Program& p, Exec& exec, const Chain& chain) {
  State node = State::node_enabled;
  const bool can = p.keep(Rule::only_work_is_disabled);
  cuGraphNodeSetEnabled(exec.handle, can ? chain.kernel : chain.host, 0);
  p.move(node, Via::disabled);
  unsigned enabled = 1;
  cuGraphNodeGetEnabled(exec.handle, chain.kernel, &enabled);
  p.check(enabled == 0, "a disabled node");
  if (p.coin()) launch(p, exec, p.any_home());
  cuGraphNodeSetEnabled(exec.handle, chain.kernel, 1);
  p.move(node, Via::enabled);
}

void update(Program& p, Exec& exec, const Material& on) {
  Chain other = make_chain(p, on);
  CUgraphExecUpdateResultInfo info{};
  if (!p.keep(Rule::updates_have_the_same_shape)) {
    add_empty(p, other.graph);
  } else if (p.below(3) == 0) {  // A refused update leaves the executable as it was.
    add_empty(p, other.graph);
    p.expect(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    cuGraphExecUpdate_v2(exec.handle, other.graph.handle, &info);
    p.move(exec.state, Via::update_refused);
    return destroy(p, other.graph);
  }
  cuGraphExecUpdate_v2(exec.handle, other.graph.handle, &info);
  p.move(exec.state, Via::updated);
  destroy(p, other.graph);
}

}  // namespace

static void live(Program& p) {
  Material material = make_material(p);
  Chain chain = make_chain(p, material);
  Exec exec = instantiate(p, chain.graph);
  for (std::size_t i = p.below(6); i > 0; --i) {
    switch (p.below(6)) {
      case 0:
      case 1:
        launch(p, exec, p.any_home());
        break;
      case 2:
        change(p, exec, chain, material);
        break;
      case 3:
        switch_off_and_on(p, exec, chain);
        break;
      case 4:
        update(p, exec, material);
        break;
      default:
        upload(p, exec, p.any_home());
    }
  }
  const bool graph_first = p.coin();
  if (graph_first) destroy(p, chain.graph);
  if (p.coin() && exec.state == State::exec_in_flight) wait(p, exec);
  destroy(p, exec);
  if (!graph_first) destroy(p, chain.graph);
  if (p.coin()) p.wait_for_all();
  free_material(p, material);
}

static void updated_by_other_nodes(Program& p) {
  Graph graph = make_graph(p);
  Graph other = make_graph(p);
  add_empty(p, graph);
  if (p.keep(Rule::updates_keep_the_nodes_types))
    add_empty(p, other);
  else
    add_host(p, other, do_nothing);
  Exec exec = instantiate(p, graph);
  CUgraphExecUpdateResultInfo info{};
  cuGraphExecUpdate_v2(exec.handle, other.handle, &info);
  p.check(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS, "an update");
  p.move(exec.state, Via::updated);
  destroy(p, exec);
  destroy(p, graph);
  destroy(p, other);
}

static void ended(Program& p) {
  Graph graph = make_graph(p);
  add_empty(p, graph);
  const bool known = p.keep(Rule::instantiation_flags_are_known);
  Exec exec = instantiate(p, graph, known ? CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY : 0x100);
  cuuint64_t flags = 0;
  cuGraphExecGetFlags(exec.handle, &flags);
  p.check(flags == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, "its flags");
  destroy(p, exec);
  if (!p.keep(Rule::executables_are_alive)) cuGraphLaunch(exec.handle, p.handle(0));
  if (!p.keep(Rule::executables_are_destroyed_once)) cuGraphExecDestroy(exec.handle);
  destroy(p, graph);
}

/// A node's arguments point to memory that lives until the launch is over: the driver copies
/// pointers only.
static void arguments_outlive_the_launch(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  add_kernel(p, graph, memory.address);
  Exec exec = instantiate(p, graph);
  const bool outlives = p.keep(Rule::arguments_outlive_the_launch);
  if (!outlives) p.memory.free(memory);
  launch(p, exec, p.any_home());
  wait(p, exec);
  if (outlives) p.memory.leave(memory);
  destroy(p, exec);
  destroy(p, graph);
}

static void nodes_of_the_graph(Program& p) {
  Material material = make_material(p);
  Graph graph = make_graph(p);
  Graph other = make_graph(p);
  CUgraphNode mine = add_set(p, graph, material.first.address);
  CUgraphNode stranger = add_set(p, other, material.first.address);
  Exec exec = instantiate(p, graph);
  CUDA_MEMSET_NODE_PARAMS set = set_params(material.second.address, 2, 4);
  const bool own = p.keep(Rule::executables_change_their_nodes);
  set.height = p.keep(Rule::changed_sets_keep_their_height) ? 1 : 2;
  set.pitch = 16;
  cuGraphExecMemsetNodeSetParams(exec.handle, own ? mine : stranger, &set, p.context);
  p.move(exec.state, Via::set);
  launch(p, exec, p.any_home());
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
  destroy(p, other);
  free_material(p, material);
}

Steps graph_exec_steps() {
  static constexpr Program::Step kSteps[] = {
      live, live, updated_by_other_nodes, ended, arguments_outlive_the_launch, nodes_of_the_graph};
  return kSteps;
}

}  // namespace harness::testing::sound
