// SPDX-License-Identifier: Apache-2.0
// Stream capture: of one stream and of several, in all modes, into a new or an existing graph.
#include "harness/devices/tests/sound_programs/capture_parts.h"

namespace harness::testing::sound {

/// A piece of work of each kind that a stream can be given.
static void capture_work(Program& p, std::size_t home, CUdeviceptr address) {
  switch (p.below(5)) {
    case 0:
      return p.set(home, address);
    case 1:
      return p.add_one(home, address);
    case 2:
      cuMemcpyDtoDAsync_v2(address, address + 32, 16, p.handle(home));
      return p.work(home);
    case 3:
      cuLaunchHostFunc(p.handle(home), count_call, p.counters.data());
      return p.work(home);
    default:
      cuStreamWriteValue32_v2(p.handle(home), address, 1, 0);
      return p.work(home);
  }
}

static void one_stream(Program& p) {
  const std::size_t home = p.own_home();
  Memory memory = p.memory.make(Kind::plain, home);
  begin(p, home, any_mode(p));
  for (std::size_t i = p.below(4); i > 0; --i) capture_work(p, home, memory.address);
  if (!p.keep(Rule::captures_are_not_waited_for)) cuStreamSynchronize(p.handle(home));
  Graph graph = end(p, home);
  run_in(p, home, graph);
  p.memory.leave(memory);
}

static void fork_and_join(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  begin(p, 0, any_mode(p));
  p.set(0, memory.address);
  join(p, 0, 1);
  p.set(1, memory.address + 32);
  p.set(0, memory.address);
  if (p.keep(Rule::forks_are_joined)) join(p, 1, 0);
  p.set(0, memory.address + 32);
  Graph graph = end(p, p.keep(Rule::captures_end_where_they_began) ? 0 : 1);
  p.move(p.streams[1].state, Via::capture_ended);
  run_in(p, 0, graph);
  p.memory.leave(memory);
}

/// Nodes are ordered in the graph only if events order their calls.
static void fork_in_order(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  begin(p, 0);
  join(p, 0, 1);
  p.set(0, memory.address);
  if (p.keep(Rule::captured_work_is_ordered)) join(p, 0, 1);
  p.set(1, memory.address);
  join(p, 1, 0);
  Graph graph = end(p, 0);
  p.move(p.streams[1].state, Via::capture_ended);
  run_in(p, 0, graph);
  p.memory.leave(memory);
}

static void into_a_graph(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph graph = make_graph(p);
  CUgraphNode first = add_empty(p, graph);
  CUgraph target = p.keep(Rule::captures_fill_a_graph_that_is_there) ? graph.handle : nullptr;
  cuStreamBeginCaptureToGraph(p.handle(0), target, &first, nullptr, 1, any_mode(p));
  p.move(p.streams[0].state, Via::capture_begun);
  p.set(0, memory.address);
  CUgraph found = nullptr;
  cuStreamEndCapture(p.handle(0), &found);
  p.check(found == graph.handle, "the graph that was filled");
  p.move(p.streams[0].state, Via::capture_ended);
  p.move(graph.state, Via::captured_into);
  run_in(p, 0, graph);
  p.memory.leave(memory);
}

static void ask_and_change(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  begin(p, 0, any_mode(p));
  p.set(0, memory.address);
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  std::size_t count = 0;
  cuStreamGetCaptureInfo_v3(p.handle(0), &status, &id, &graph, &nodes, nullptr, &count);
  p.check(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1, "a capture, and its last node");
  CUgraphNode mine = nullptr;
  cuGraphAddEmptyNode(&mine, graph, nodes, count);
  const bool known = p.keep(Rule::dependency_flags_are_known);
  cuStreamUpdateCaptureDependencies_v2(p.handle(0), &mine, nullptr, 1,
                                       known ? CU_STREAM_SET_CAPTURE_DEPENDENCIES : 99);
  p.set(0, memory.address);
  Graph made = end(p, 0);
  run_in(p, 0, made);
  p.memory.leave(memory);
}

static void events_as_nodes(Program& p) {
  Event event = p.events.make();
  begin(p, 0);
  cuEventRecordWithFlags(event.handle, p.handle(0), CU_EVENT_RECORD_EXTERNAL);
  p.work(0);
  cuStreamWaitEvent(p.handle(0), event.handle, CU_EVENT_WAIT_EXTERNAL);
  p.work(0);
  Graph graph = end(p, 0);
  run_in(p, 0, graph);
  p.wait(0);
  p.events.destroy(event);
}

/// An event recorded in a capture is later recorded in an ordinary stream.
static void event_in_and_out(Program& p) {
  Event event = p.events.make();
  begin(p, 0);
  cuEventRecord(event.handle, p.handle(0));
  p.move(event.state, Via::recorded_in_a_capture);
  if (!p.keep(Rule::captured_events_are_not_waited_for)) cuEventSynchronize(event.handle);
  Graph graph = end(p, 0);
  destroy(p, graph);
  p.events.record(event, 1);
  if (!p.keep(Rule::captures_wait_for_their_own_events)) {
    begin(p, 0);
    cuStreamWaitEvent(p.handle(0), event.handle, CU_EVENT_WAIT_DEFAULT);
  }
  cuEventSynchronize(event.handle);
  p.move(event.state, Via::waited_for);
  p.events.destroy(event);
}

/// Memory of a capture is its graph's.
static void memory_of_a_capture(Program& p) {
  Memory pooled = p.memory.make(Kind::pooled, 0);
  begin(p, 0, any_mode(p));
  CUdeviceptr inner = 0;
  cuMemAllocAsync(&inner, kBytes, p.handle(0));
  p.set(0, inner);
  const bool own = p.keep(Rule::captures_free_memory_of_graphs);
  cuMemFreeAsync(own ? inner : pooled.address, p.handle(0));
  p.work(0);
  Graph graph = end(p, 0);
  run_in(p, 0, graph);
  p.memory.leave(pooled);
}

/// A capture launches no graph.
static void graph_in_a_capture(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Graph inner = make_graph(p);
  add_set(p, inner, memory.address);
  Exec exec = instantiate(p, inner);
  begin(p, 0, any_mode(p));
  if (!p.keep(Rule::no_graph_is_launched_into_a_capture)) cuGraphLaunch(exec.handle, p.handle(0));
  p.set(0, memory.address);
  Graph outer = end(p, 0);
  destroy(p, exec);
  destroy(p, inner);
  run_in(p, 0, outer);
  p.memory.leave(memory);
}

Steps capture_steps() {
  static constexpr Program::Step kSteps[] = {
      one_stream,      fork_and_join,    fork_in_order,       into_a_graph,       ask_and_change,
      events_as_nodes, event_in_and_out, memory_of_a_capture, graph_in_a_capture,
  };
  return kSteps;
}

}  // namespace harness::testing::sound
