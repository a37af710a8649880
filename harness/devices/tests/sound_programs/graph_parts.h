// SPDX-License-Identifier: Apache-2.0
// GraphParts: common to the topics of graphs: graphs and executables with their states, and short
// names for the calls that create nodes.
#pragma once

#include <initializer_list>

#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

struct Graph {
  CUgraph handle = nullptr;
  State state = State::graph_none;
};

struct Exec {
  CUgraphExec handle = nullptr;
  State state = State::exec_none;
  std::size_t home = 0;  ///< Stream of the last launch.
};

using After = std::initializer_list<CUgraphNode>;

inline Graph make_graph(Program& p) {
  Graph made;
  cuGraphCreate(&made.handle, 0);
  p.move(made.state, Via::created);
  return made;
}

inline void destroy(Program& p, Graph& graph) {
  cuGraphDestroy(graph.handle);
  p.move(graph.state, Via::destroyed);
}

inline CUgraphNode added(Program& p, Graph& graph, CUgraphNode node) {
  p.move(graph.state, Via::node_added);
  return node;
}

inline CUgraphNode add_empty(Program& p, Graph& graph, After after = {}) {
  CUgraphNode node = nullptr;
  cuGraphAddEmptyNode(&node, graph.handle, std::data(after), after.size());
  return added(p, graph, node);
}

inline CUgraphNode add_kernel(Program& p, Graph& graph, CUdeviceptr address, After after = {}) {
  int count = 16;
  void* values[] = {&address, &count};
  const CUDA_KERNEL_NODE_PARAMS params = kernel_params(p.kernel, values, 2, 8);
  CUgraphNode node = nullptr;
  cuGraphAddKernelNode_v2(&node, graph.handle, std::data(after), after.size(), &params);
  return added(p, graph, node);
}

inline CUgraphNode add_set(Program& p, Graph& graph, CUdeviceptr address, After after = {}) {
  const CUDA_MEMSET_NODE_PARAMS params = set_params(address, 1, 4);
  CUgraphNode node = nullptr;
  cuGraphAddMemsetNode(&node, graph.handle, std::data(after), after.size(), &params, p.context);
  return added(p, graph, node);
}

inline CUgraphNode add_copy(Program& p, Graph& graph, CUdeviceptr target, CUdeviceptr source,
                            After after = {}) {
  const CUDA_MEMCPY3D params = copy_params(target, source, kBytes);
  CUgraphNode node = nullptr;
  cuGraphAddMemcpyNode(&node, graph.handle, std::data(after), after.size(), &params, p.context);
  return added(p, graph, node);
}

inline CUgraphNode add_host(Program& p, Graph& graph, CUhostFn function, After after = {}) {
  const CUDA_HOST_NODE_PARAMS params{function, p.counters.data()};
  CUgraphNode node = nullptr;
  cuGraphAddHostNode(&node, graph.handle, std::data(after), after.size(), &params);
  return added(p, graph, node);
}

/// By one of the three functions that do.
inline Exec instantiate(Program& p, Graph& graph, unsigned long long flags = 0) {
  Exec made;
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.flags = flags;
  switch (p.below(3)) {
    case 0:
      cuGraphInstantiateWithFlags(&made.handle, graph.handle, flags);
      break;
    case 1:
      cuGraphInstantiateWithParams(&made.handle, graph.handle, &params);
      break;
    default:
      cuGraphInstantiateWithParams_ptsz(&made.handle, graph.handle, &params);
  }
  p.move(graph.state, Via::instantiated);
  p.move(made.state, Via::instantiated);
  return made;
}

inline void launch(Program& p, Exec& exec, std::size_t home) {
  cuGraphLaunch(exec.handle, p.handle(home));
  exec.home = home;
  p.move(exec.state, Via::launched);
  p.work(home);
}

/// Launches of one executable follow each other: the last one is waited for.
inline void wait(Program& p, Exec& exec) {
  p.wait(exec.home);
  p.move(exec.state, Via::waited_for);
}

inline void destroy(Program& p, Exec& exec) {
  cuGraphExecDestroy(exec.handle);
  p.move(exec.state, Via::destroyed);
}

}  // namespace harness::testing::sound
