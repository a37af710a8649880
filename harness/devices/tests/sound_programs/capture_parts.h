// SPDX-License-Identifier: Apache-2.0
// CaptureParts: common to the topics of stream capture: beginning, forking and ending a capture.
#pragma once

#include "harness/devices/tests/sound_programs/graph_parts.h"

namespace harness::testing::sound {

inline constexpr CUstreamCaptureMode kModes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                                 CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                                 CU_STREAM_CAPTURE_MODE_RELAXED};
inline constexpr auto kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;

inline void begin(Program& p, std::size_t home, CUstreamCaptureMode mode = kRelaxed) {
  cuStreamBeginCapture_v2(p.handle(home), mode);
  p.move(p.streams[home].state, Via::capture_begun);
}

inline CUstreamCaptureMode any_mode(Program& p) { return kModes[p.below(3)]; }

inline Graph end(Program& p, std::size_t home) {
  Graph made;
  cuStreamEndCapture(p.handle(home), &made.handle);
  p.move(p.streams[home].state, Via::capture_ended);
  p.move(made.state, Via::captured);
  return made;
}

inline void run_in(Program& p, std::size_t home, Graph& graph) {
  Exec exec = instantiate(p, graph);
  for (std::size_t i = 1 + p.below(2); i > 0; --i) launch(p, exec, home);
  destroy(p, exec);
  destroy(p, graph);
}

/// Makes a stream's capture continue in another one, by an event.
inline void join(Program& p, std::size_t from, std::size_t to) {
  Event event = p.events.make();
  cuEventRecord(event.handle, p.handle(from));
  p.move(event.state, Via::recorded_in_a_capture);
  cuStreamWaitEvent(p.handle(to), event.handle, CU_EVENT_WAIT_DEFAULT);
  p.move(p.streams[to].state, Via::capture_joined);
  p.events.destroy(event);
}

}  // namespace harness::testing::sound
