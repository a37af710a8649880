// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/launches/topological_order.h"

#include "harness/devices/sim/objects.h"

namespace harness::devices {

/// Returns the line of the first node; the lines of the other nodes follow.
static LineIndex first_line(DataRaces& data_races, ExecutablePlan& graph) {
  if (graph.lines_run != data_races.run()) {
    graph.lines_run = data_races.run();
    graph.first_line = data_races.take_lines(static_cast<std::uint32_t>(graph.nodes.size()));
  }
  return graph.first_line;
}

/// A wait refers to the last record before the launch, and a record takes effect at the launch.
static void order_event(const NodeParams& params, Clock& before, const OrderPoint& at) {
  Event* event = params.event;
  if (event == nullptr || !event->alive) return;
  if (params.type == CU_GRAPH_NODE_TYPE_WAIT_EVENT) {
    before.join(event->clock);
  } else {
    event->clock = before;
    event->clock.include(at);
  }
}

void order_nodes(DataRaces& data_races, GraphFrame& frame, const Clock& base, Clock& after) {
  const ExecutablePlan& graph = *frame.graph;
  if (frame.before.size() < graph.nodes.size()) frame.before.resize(graph.nodes.size());
  frame.first_line = first_line(data_races, const_cast<ExecutablePlan&>(graph));
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) frame.before[i] = base;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    Clock& before = frame.before[i];
    const OrderPoint at{frame.first_line + i, before.of(frame.first_line + i) + 1};
    order_event(*graph.nodes[i].params, before, at);
    Clock& done = frame.done;
    done = before;
    done.include(at);
    if (frame.nodes[i].body != nullptr) order_nodes(data_races, *frame.nodes[i].body, before, done);
    for (const std::uint32_t next : graph.dependents_of(graph.nodes[i]))
      frame.before[next].join(done);
    after.join(done);
  }
}

/// The nodes of a body, and how often it runs, are known only when it runs, but later nodes are
/// ordered at the launch. So that they come after the body, all its nodes share the point of the
/// conditional node. Races between nodes of one body are therefore missed.
void order_body(GraphFrame& frame, const OrderPoint& at, const Clock& before) {
  const std::size_t count = frame.graph->nodes.size();
  if (frame.before.size() < count) frame.before.resize(count);
  frame.shared = at;
  for (std::size_t i = 0; i < count; ++i) {
    frame.before[i] = before;
    frame.before[i].include(at);
    if (frame.nodes[i].body != nullptr) order_body(*frame.nodes[i].body, at, before);
  }
}

OrderPoint point_of(const GraphFrame& frame, std::uint32_t node) {
  if (frame.shared.line != kNoLine) return frame.shared;
  const LineIndex line = frame.first_line + node;
  return {line, frame.before[node].of(line) + 1};
}

}  // namespace harness::devices
