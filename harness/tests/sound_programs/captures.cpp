// Stream capture: of one stream and of several, in all modes, into a new graph or one that is
// there; and captures that are lost to a call which they forbid.
#include "harness/tests/sound_programs/graph_parts.h"

namespace harness::testing::sound {

namespace {

constexpr CUstreamCaptureMode kModes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                          CU_STREAM_CAPTURE_MODE_RELAXED};
constexpr auto kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;

void begin(Program& p, std::size_t home, CUstreamCaptureMode mode = kRelaxed) {
  cuStreamBeginCapture_v2(p.handle(home), mode);
  p.move(p.streams[home].state, Via::capture_begun);
}

CUstreamCaptureMode any_mode(Program& p) { return kModes[p.below(3)]; }

Graph end(Program& p, std::size_t home) {
  Graph made;
  cuStreamEndCapture(p.handle(home), &made.handle);
  p.move(p.streams[home].state, Via::capture_ended);
  p.move(made.state, Via::captured);
  return made;
}

/// A capture that was invalidated ends without a graph.
void end_lost(Program& p, std::size_t home) {
  p.move(p.streams[home].state, Via::capture_lost);
  CUstreamCaptureStatus status{};
  cuStreamIsCapturing(p.handle(home), &status);
  p.check(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED, "it was invalidated");
  CUgraph graph = nullptr;
  p.expect(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  cuStreamEndCapture(p.handle(home), &graph);
  p.move(p.streams[home].state, Via::capture_ended);
}

void run_in(Program& p, std::size_t home, Graph& graph) {
  Exec exec = instantiate(p, graph);
  for (std::size_t i = 1 + p.below(2); i > 0; --i) launch(p, exec, home);
  destroy(p, exec);
  destroy(p, graph);
}

/// Makes a stream's capture go on in another one, by an event.
void join(Program& p, std::size_t from, std::size_t to) {
  Event event = p.make_event();
  cuEventRecord(event.handle, p.handle(from));
  p.move(event.state, Via::recorded_in_a_capture);
  cuStreamWaitEvent(p.handle(to), event.handle, CU_EVENT_WAIT_DEFAULT);
  p.move(p.streams[to].state, Via::capture_joined);
  p.destroy(event);
}

/// A piece of work of each kind that a stream can be given.
void capture_work(Program& p, std::size_t home, CUdeviceptr address) {
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

}  // namespace

static void one_stream(Program& p) {
  const std::size_t home = p.own_home();
  Memory memory = p.make_memory(Kind::plain, home);
  begin(p, home, any_mode(p));
  for (std::size_t i = p.below(4); i > 0; --i) capture_work(p, home, memory.address);
  if (!p.keep(Rule::captures_are_not_waited_for)) cuStreamSynchronize(p.handle(home));
  Graph graph = end(p, home);
  run_in(p, home, graph);
  p.leave(memory);
}

static void fork_and_join(Program& p) {
  Memory memory = p.make_memory(Kind::plain, 0);
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
  p.leave(memory);
}

/// What the events order is in order in the graph, too; and nothing else.
static void fork_in_order(Program& p) {
  Memory memory = p.make_memory(Kind::plain, 0);
  begin(p, 0);
  join(p, 0, 1);
  p.set(0, memory.address);
  if (p.keep(Rule::captured_work_is_ordered)) join(p, 0, 1);
  p.set(1, memory.address);
  join(p, 1, 0);
  Graph graph = end(p, 0);
  p.move(p.streams[1].state, Via::capture_ended);
  run_in(p, 0, graph);
  p.leave(memory);
}

static void into_a_graph(Program& p) {
  Memory memory = p.make_memory(Kind::plain, 0);
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
  p.leave(memory);
}

static void ask_and_change(Program& p) {
  Memory memory = p.make_memory(Kind::plain, 0);
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
  p.leave(memory);
}

static void events_as_nodes(Program& p) {
  Event event = p.make_event();
  begin(p, 0);
  cuEventRecordWithFlags(event.handle, p.handle(0), CU_EVENT_RECORD_EXTERNAL);
  p.work(0);
  cuStreamWaitEvent(p.handle(0), event.handle, CU_EVENT_WAIT_EXTERNAL);
  p.work(0);
  Graph graph = end(p, 0);
  run_in(p, 0, graph);
  p.wait(0);
  p.destroy(event);
}

/// An event of a capture is one of a stream again, once it is recorded there.
static void event_in_and_out(Program& p) {
  Event event = p.make_event();
  begin(p, 0);
  cuEventRecord(event.handle, p.handle(0));
  p.move(event.state, Via::recorded_in_a_capture);
  if (!p.keep(Rule::captured_events_are_not_waited_for)) cuEventSynchronize(event.handle);
  Graph graph = end(p, 0);
  destroy(p, graph);
  p.record(event, 1);
  if (!p.keep(Rule::captures_wait_for_their_own_events)) {
    begin(p, 0);
    cuStreamWaitEvent(p.handle(0), event.handle, CU_EVENT_WAIT_DEFAULT);
  }
  cuEventSynchronize(event.handle);
  p.move(event.state, Via::waited_for);
  p.destroy(event);
}

/// Memory of a capture is its graph's.
static void memory_of_a_capture(Program& p) {
  Memory pooled = p.make_memory(Kind::pooled, 0);
  begin(p, 0, any_mode(p));
  CUdeviceptr inner = 0;
  cuMemAllocAsync(&inner, kBytes, p.handle(0));
  p.set(0, inner);
  const bool own = p.keep(Rule::captures_free_memory_of_graphs);
  cuMemFreeAsync(own ? inner : pooled.address, p.handle(0));
  p.work(0);
  Graph graph = end(p, 0);
  run_in(p, 0, graph);
  p.leave(pooled);
}

/// A launch into a capture is a child graph.
static void launch_in_a_capture(Program& p) {
  Memory memory = p.make_memory(Kind::plain, 0);
  Graph inner = make_graph(p);
  add_set(p, inner, memory.address);
  if (!p.keep(Rule::captured_launches_have_no_memory)) {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    params.bytesize = kBytes;
    CUgraphNode node = nullptr;
    cuGraphAddMemAllocNode(&node, inner.handle, nullptr, 0, &params);
  }
  Exec exec = instantiate(p, inner);
  begin(p, 0, any_mode(p));
  cuGraphLaunch(exec.handle, p.handle(0));
  p.work(0);
  Graph outer = end(p, 0);
  destroy(p, exec);
  destroy(p, inner);
  run_in(p, 0, outer);
  p.leave(memory);
}

// ---- modes ------------------------------------------------------------------------------------

static void exchange_mode(Program& p) {
  static constexpr Via kVias[] = {Via::made_global, Via::made_thread_local, Via::made_relaxed};
  const std::size_t wanted = p.below(3);
  CUstreamCaptureMode mode =
      p.keep(Rule::modes_are_known) ? kModes[wanted] : static_cast<CUstreamCaptureMode>(9);
  cuThreadExchangeStreamCaptureMode(&mode);
  p.move(p.capture_mode, kVias[wanted]);
}

/// What a capture cannot see is allowed where the capture, or the thread, is relaxed.
static void unseen_calls(Program& p) {
  const CUstreamCaptureMode mode = any_mode(p);
  begin(p, 0, mode);
  const bool allowed = mode == kRelaxed || p.capture_mode == State::mode_relaxed;
  if (allowed) {
    CUdeviceptr address = 0;
    cuMemAlloc_v2(&address, kBytes);
    Graph graph = end(p, 0);
    destroy(p, graph);
    cuMemFree_v2(address);
  } else {
    CUdeviceptr address = 0;
    if (p.keep(Rule::strict_captures_see_all_calls))
      p.expect(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cuMemAlloc_v2(&address, kBytes);
    end_lost(p, 0);
  }
}

static void lost(Program& p) {
  const std::size_t home = p.own_home();
  begin(p, home, any_mode(p));
  p.expect(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (p.coin())
    cuStreamSynchronize(p.handle(home));
  else
    cuStreamQuery(p.handle(home));
  end_lost(p, home);
}

static void destroyed_while_capturing(Program& p) {
  CUstream mine = nullptr;
  cuStreamCreate(&mine, CU_STREAM_NON_BLOCKING);
  Stream stream{mine, State::stream_idle};
  cuStreamBeginCapture_v2(mine, kRelaxed);
  p.move(stream.state, Via::capture_begun);
  cuStreamDestroy_v2(mine);
  p.move(stream.state, Via::destroyed);
}

static void beginnings(Program& p) {
  const bool own = p.keep(Rule::the_default_stream_is_not_captured);
  if (!own) cuStreamBeginCapture_v2(nullptr, kRelaxed);
  begin(p, 0);
  if (!p.keep(Rule::captures_begin_once)) cuStreamBeginCapture_v2(p.handle(0), kRelaxed);
  Graph graph = end(p, 0);
  CUgraph none = nullptr;
  if (!p.keep(Rule::only_captures_are_ended)) cuStreamEndCapture(p.handle(0), &none);
  destroy(p, graph);
}

static void blocking_stream(Program& p) {
  begin(p, kBlocking);
  if (!p.keep(Rule::the_default_stream_rests_while_others_capture))
    cuStreamWaitEvent(nullptr, p.events.front().handle, CU_EVENT_WAIT_DEFAULT);
  Graph graph = end(p, kBlocking);
  destroy(p, graph);
}

/// A strict capture ends in the thread that began it, a relaxed one in any.
static void ended_in_another_thread(Program& p) {
  const bool relaxed = p.keep(Rule::strict_captures_end_in_their_thread);
  begin(p, 0, relaxed ? kRelaxed : CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  Scheduler& scheduler = World::current()->scheduler;
  Latch* over = World::current()->arena.make<Latch>(scheduler, 1);
  scheduler.spawn("other", [&p, over] {
    cuCtxSetCurrent(p.context);
    CUgraph graph = nullptr;
    cuStreamEndCapture(p.handle(0), &graph);
    if (graph != nullptr) cuGraphDestroy(graph);
    over->count_down();
  });
  over->wait();
  p.move(p.streams[0].state, Via::capture_ended);
}

static void two_captures(Program& p) {
  begin(p, 0);
  begin(p, 1);
  if (!p.keep(Rule::captures_do_not_merge)) join(p, 0, 1);
  Graph first = end(p, 0);
  Graph second = end(p, 1);
  destroy(p, first);
  destroy(p, second);
}

Steps capture_steps() {
  static constexpr Program::Step kSteps[] = {
      one_stream,
      fork_and_join,
      fork_in_order,
      into_a_graph,
      ask_and_change,
      events_as_nodes,
      event_in_and_out,
      memory_of_a_capture,
      exchange_mode,
      exchange_mode,
      unseen_calls,
      lost,
      beginnings,
      blocking_stream,
      two_captures,
      ended_in_another_thread,
      destroyed_while_capturing,
      launch_in_a_capture,
  };
  return kSteps;
}

}  // namespace harness::testing::sound
