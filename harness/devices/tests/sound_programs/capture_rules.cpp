// SPDX-License-Identifier: Apache-2.0
// Calls that a capture forbids, by its mode and its thread's, and by where it begins and ends; and
// captures that such a call invalidates.
#include "harness/core/sync.h"
#include "harness/devices/tests/sound_programs/capture_parts.h"

namespace harness::testing::sound {

/// A capture that was invalidated ends without a graph.
static void end_lost(Program& p, std::size_t home) {
  p.move(p.streams[home].state, Via::capture_lost);
  CUstreamCaptureStatus status{};
  cuStreamIsCapturing(p.handle(home), &status);
  p.check(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED, "it was invalidated");
  CUgraph graph = nullptr;
  p.expect(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  cuStreamEndCapture(p.handle(home), &graph);
  p.move(p.streams[home].state, Via::capture_ended);
}

static void exchange_mode(Program& p) {
  static constexpr Via kVias[] = {Via::made_global, Via::made_thread_local, Via::made_relaxed};
  const std::size_t wanted = p.below(3);
  CUstreamCaptureMode mode =
      p.keep(Rule::modes_are_known) ? kModes[wanted] : static_cast<CUstreamCaptureMode>(9);
  cuThreadExchangeStreamCaptureMode(&mode);
  p.move(p.capture_mode, kVias[wanted]);
}

/// Calls that cannot be captured are allowed if the mode of the capture, or of the thread, is
/// relaxed.
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
  if (!p.keep(Rule::lost_captures_get_no_work)) p.set(home, p.memory.shared()[0].address);
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
    cuStreamWaitEvent(nullptr, p.events.make().handle, CU_EVENT_WAIT_DEFAULT);
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

Steps capture_rule_steps() {
  static constexpr Program::Step kSteps[] = {
      exchange_mode,
      unseen_calls,
      lost,
      destroyed_while_capturing,
      beginnings,
      blocking_stream,
      ended_in_another_thread,
      two_captures,
      exchange_mode,
  };
  return kSteps;
}

}  // namespace harness::testing::sound
