// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes and edges, queries, clones, and nested graphs.
#include "harness/devices/tests/sound_programs/graph_parts.h"

namespace harness::testing::sound {

static void ask(Program& p, const Graph& graph, CUgraphNode first, CUgraphNode last) {
  std::array<CUgraphNode, 8> nodes{};
  std::array<CUgraphNode, 8> others{};
  std::size_t count = nodes.size();
  cuGraphGetNodes(graph.handle, nodes.data(), &count);
  p.check(count == 3, "all nodes");
  count = nodes.size();
  cuGraphGetRootNodes(graph.handle, nodes.data(), &count);
  p.check(count == 1 && nodes[0] == first, "the first node");
  std::array<CUgraphEdgeData, 8> data{};
  count = nodes.size();
  const bool nodes_too = p.keep(Rule::edge_data_is_asked_with_nodes);
  cuGraphGetEdges_v2(graph.handle, nodes_too ? nodes.data() : nullptr,
                     nodes_too ? others.data() : nullptr, data.data(), &count);
  p.check(count == 2, "all edges");
  count = nodes.size();
  cuGraphNodeGetDependencies_v2(last, nodes.data(), nullptr, &count);
  p.check(count == 1, "what the last one depends on");
  count = nodes.size();
  cuGraphNodeGetDependentNodes_v2(first, nodes.data(), nullptr, &count);
  p.check(count == 1, "what depends on the first one");
}

static void build_and_take_apart(Program& p) {
  Graph graph = make_graph(p);
  CUgraphNode first = add_empty(p, graph);
  CUgraphNode second = add_empty(p, graph, {first});
  CUgraphNode third = add_empty(p, graph);
  CUgraphNode from = p.keep(Rule::edges_are_new) ? second : first;
  CUgraphNode to = from == second ? third : second;
  cuGraphAddDependencies_v2(graph.handle, &from, &to, nullptr, 1);
  p.move(graph.state, Via::edge_added);
  if (!p.dropped()) ask(p, graph, first, third);
  from = p.keep(Rule::removed_edges_are_there) ? second : first;
  cuGraphRemoveDependencies_v2(graph.handle, &from, &third, nullptr, 1);
  p.move(graph.state, Via::edge_removed);
  cuGraphDestroyNode(second);
  p.move(graph.state, Via::node_removed);
  CUgraphNodeType type{};
  if (!p.keep(Rule::nodes_are_alive)) cuGraphNodeGetType(second, &type);
  destroy(p, graph);
  if (!p.keep(Rule::graphs_are_alive)) add_empty(p, graph);
  if (!p.keep(Rule::graphs_are_destroyed_once)) cuGraphDestroy(graph.handle);
}

static void nothing_in_it(Program& p) {
  Graph graph;
  cuGraphCreate(&graph.handle, p.keep(Rule::graph_flags_are_zero) ? 0 : 1);
  p.move(graph.state, Via::created);
  destroy(p, graph);
}

static void two_graphs(Program& p) {
  Graph graph = make_graph(p);
  Graph other = make_graph(p);
  CUgraphNode mine = add_empty(p, graph);
  CUgraphNode stranger = add_empty(p, other);
  add_empty(p, graph, {p.keep(Rule::dependencies_are_of_the_graph) ? mine : stranger});
  destroy(p, graph);
  destroy(p, other);
}

static void clone(Program& p) {
  Graph graph = make_graph(p);
  CUgraphNode node = add_empty(p, graph);
  Graph copy;
  cuGraphClone(&copy.handle, graph.handle);
  p.move(graph.state, Via::cloned);
  p.move(copy.state, Via::created_as_a_copy);
  if (!p.keep(Rule::nodes_are_looked_for_after_cloning)) node = add_empty(p, graph);
  CUgraphNode found = nullptr;
  cuGraphNodeFindInClone(&found, node, copy.handle);
  destroy(p, graph);
  destroy(p, copy);
}

static void no_circle(Program& p) {
  Graph graph = make_graph(p);
  CUgraphNode first = add_empty(p, graph);
  CUgraphNode second = add_empty(p, graph, {first});
  if (!p.keep(Rule::graphs_have_no_circles))
    cuGraphAddDependencies_v2(graph.handle, &second, &first, nullptr, 1);
  Exec exec = instantiate(p, graph);
  destroy(p, exec);
  destroy(p, graph);
}

/// Two nodes write the same memory.
static void ordered_nodes(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  CUgraphNode first = add_set(p, graph, memory.address);
  const bool ordered = p.keep(Rule::nodes_are_ordered);
  ordered ? add_kernel(p, graph, memory.address, {first}) : add_kernel(p, graph, memory.address);
  Exec exec = instantiate(p, graph);
  launch(p, exec, p.any_home());
  wait(p, exec);
  destroy(p, exec);
  destroy(p, graph);
  p.memory.leave(memory);
}

/// A graph's node is a graph: a copy, or the graph itself.
static void graph_in_a_graph(Program& p) {
  Graph inner = make_graph(p);
  Graph outer = make_graph(p);
  add_empty(p, inner);
  CUgraphNode child = nullptr;
  const bool moves = p.coin();
  if (moves) {
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_GRAPH;
    params.graph.graph = inner.handle;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    cuGraphAddNode_v2(&child, outer.handle, nullptr, nullptr, 0, &params);
    p.move(inner.state, Via::moved_into_a_node);
    if (!p.keep(Rule::moved_graphs_are_their_nodes)) cuGraphDestroy(inner.handle);
  } else {
    cuGraphAddChildGraphNode(&child, outer.handle, nullptr, 0, inner.handle);
    p.move(inner.state, Via::copied_into_a_node);
    destroy(p, inner);
  }
  added(p, outer, child);
  CUgraph body = nullptr;
  cuGraphChildGraphNodeGetGraph(child, &body);
  p.check((body == inner.handle) == moves, "the graph itself, or a copy");
  Exec exec = instantiate(p, outer);
  launch(p, exec, p.any_home());
  destroy(p, exec);
  destroy(p, outer);
  if (moves) p.move(inner.state, Via::destroyed);
}

Steps graph_steps() {
  static constexpr Program::Step kSteps[] = {
      build_and_take_apart, nothing_in_it,   two_graphs, clone, no_circle,
      ordered_nodes,        graph_in_a_graph};
  return kSteps;
}

}  // namespace harness::testing::sound
