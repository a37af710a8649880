// SPDX-License-Identifier: Apache-2.0
// Conditional nodes: the body that runs, by default or by a value that a kernel sets.
#include "harness/devices/tests/sound_programs/graph_parts.h"

extern "C" {
extern const harness::KernelImage afterlife_kernels_conditional;
}

namespace harness::testing::sound {

namespace {

struct Condition {
  CUgraphConditionalHandle handle = 0;
  State state = State::condition_none;
};

Condition make_condition(Program& p, Graph& graph, unsigned value) {
  Condition made;
  const unsigned flags = p.keep(Rule::handle_flags_are_known) ? CU_GRAPH_COND_ASSIGN_DEFAULT : 2;
  cuGraphConditionalHandleCreate(&made.handle, graph.handle, p.context, value, flags);
  p.move(made.state, Via::created);
  return made;
}

/// The bodies, which the node owns. Null if there is no node.
CUgraph* bind(Program& p, Graph& graph, Condition& condition, CUgraphConditionalNodeType type,
              unsigned size, After after = {}) {
  CUgraphNodeParams params = conditional_params(condition.handle, type, size);
  CUgraphNode node = nullptr;
  cuGraphAddNode_v2(&node, graph.handle, std::data(after), nullptr, after.size(), &params);
  added(p, graph, node);
  p.move(condition.state, Via::added);
  return node != nullptr ? params.conditional.phGraph_out : nullptr;
}

Graph body_of(CUgraph body) { return {body, State::graph_empty}; }

struct Module {
  CUmodule handle = nullptr;
  CUfunction function = nullptr;
};

Module load(const char* name) {
  Module made;
  cuModuleLoadData(&made.handle, &afterlife_kernels_conditional);
  cuModuleGetFunction(&made.function, made.handle, name);
  return made;
}

/// Launches the graph, and destroys all objects.
void run(Program& p, Graph& graph, Memory& memory) {
  Exec exec = instantiate(p, graph);
  launch(p, exec, p.any_home());
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
  p.memory.leave(memory);
}

}  // namespace

/// The default value chooses.
static void if_else(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  const unsigned value = p.coin();
  Condition condition = make_condition(p, graph, value);
  const unsigned size = p.keep(Rule::conditions_have_a_fitting_size) ? 1 + p.below(2) : 3;
  CUgraph* bodies = bind(p, graph, condition, CU_GRAPH_COND_TYPE_IF, size);
  for (unsigned i = 0; bodies != nullptr && i < size; ++i) {
    Graph body = body_of(bodies[i]);
    add_set(p, body, memory.address);
  }
  p.move(condition.state, value != 0 || size == 2 ? Via::took_a_body : Via::took_no_body);
  run(p, graph, memory);
}

static void switch_of_three(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  Graph other = make_graph(p);
  const auto value = static_cast<unsigned>(p.below(4));
  Condition condition =
      make_condition(p, p.keep(Rule::handles_are_of_the_graph) ? graph : other, value);
  CUgraph* bodies = bind(p, graph, condition, CU_GRAPH_COND_TYPE_SWITCH, 3);
  for (unsigned i = 0; bodies != nullptr && i < 3; ++i) {
    Graph body = body_of(bodies[i]);
    add_set(p, body, memory.address);
  }
  if (!p.keep(Rule::handles_have_one_node)) bind(p, graph, condition, CU_GRAPH_COND_TYPE_IF, 1);
  p.move(condition.state, value < 3 ? Via::took_a_body : Via::took_no_body);
  destroy(p, other);
  run(p, graph, memory);
}

static void set_by_a_kernel(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Module module = load("set_condition");
  Graph graph = make_graph(p);
  Condition condition = make_condition(p, graph, 0);
  CUgraphConditionalHandle handle = condition.handle;
  if (!p.keep(Rule::kernels_set_handles_that_are_there)) handle = 12345;
  unsigned value = 1;
  void* values[] = {&handle, &value};
  const CUDA_KERNEL_NODE_PARAMS params = kernel_params(module.function, values);
  CUgraphNode kernel = nullptr;
  cuGraphAddKernelNode_v2(&kernel, graph.handle, nullptr, 0, &params);
  added(p, graph, kernel);
  if (CUgraph* bodies = bind(p, graph, condition, CU_GRAPH_COND_TYPE_IF, 1, {kernel})) {
    Graph body = body_of(bodies[0]);
    add_set(p, body, memory.address);
  }
  p.move(condition.state, Via::took_a_body);
  run(p, graph, memory);
  cuModuleUnload(module.handle);
}

/// Goes round until its kernel has counted far enough.
static void loop(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  cuMemsetD32Async(memory.address, 0, 1, p.handle(0));
  p.work(0);
  p.wait(0);
  Module module = load("count_until");
  Graph graph = make_graph(p);
  Condition condition = make_condition(p, graph, 1);
  if (CUgraph* bodies = bind(p, graph, condition, CU_GRAPH_COND_TYPE_WHILE, 1)) {
    int limit = p.keep(Rule::loops_end) ? 3 : 1 << 30;
    void* values[] = {&condition.handle, &memory.address, &limit};
    const CUDA_KERNEL_NODE_PARAMS params = kernel_params(module.function, values);
    CUgraphNode kernel = nullptr;
    cuGraphAddKernelNode_v2(&kernel, bodies[0], nullptr, 0, &params);
  }
  p.move(condition.state, Via::went_round);
  run(p, graph, memory);
  cuModuleUnload(module.handle);
}

static void on_the_device_only(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  Condition condition = make_condition(p, graph, 1);
  const bool used = p.keep(Rule::handles_are_used);
  if (CUgraph* bodies = used ? bind(p, graph, condition, CU_GRAPH_COND_TYPE_IF, 1) : nullptr) {
    Graph body = body_of(bodies[0]);
    if (p.keep(Rule::bodies_run_on_the_device))
      add_empty(p, body);
    else
      add_host(p, body, do_nothing);
    p.move(condition.state, Via::took_a_body);
  }
  Graph copy;
  if (!p.keep(Rule::graphs_with_conditions_are_not_cloned))
    cuGraphClone(&copy.handle, graph.handle);
  run(p, graph, memory);
}

Steps conditional_steps() {
  static constexpr Program::Step kSteps[] = {if_else, switch_of_three, set_by_a_kernel, loop,
                                             on_the_device_only};
  return kSteps;
}

}  // namespace harness::testing::sound
