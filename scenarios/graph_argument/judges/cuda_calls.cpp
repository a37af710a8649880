// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/judges/cuda_calls.h"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>

namespace scenarios::graph_argument {

using harness::Event;
using harness::EventKind;
using harness::Label;

namespace {

/// The CUDA function that each op must call; empty if it need not call any.
constexpr std::array<Label, kOpCount> kCudaCalls{
#define OP(name, condition, cuda_call, ...) cuda_call,
#include "scenarios/graph_argument/ops.def"
};

/// Returns whether a failure of the call cannot be reported, as in a destructor, or is ignored, as
/// in reading back.
bool may_fail_unnoticed(Label what) {
  static constexpr std::array<Label, 10> kCalls{
      "cuMemFreeAsync",     "cuStreamDestroy",         "cuEventDestroy",      "cuLibraryUnload",
      "cuGraphDestroy",     "cuGraphExecDestroy",      "cuUserObjectRelease", "cuMemcpyDtoH",
      "cuStreamEndCapture", "cuGraphReleaseUserObject"};
  return std::find(kCalls.begin(), kCalls.end(), what) != kCalls.end();
}

}  // namespace

CallsMade calls_made(const harness::History& history, const Call& call) {
  const Label wanted = kCudaCalls[harness::raw(call.asked.op)];
  CallsMade made{.asked_for = wanted.empty()};
  const auto& events = history.events();
  for (std::size_t i = call.events; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.kind != EventKind::call || event.task != harness::raw(call.task)) continue;
    if (event.value != 0) {
      made.failed = made.failed || !may_fail_unnoticed(event.what);
      continue;
    }
    made.asked_for = made.asked_for || event.what == wanted;
    made.pushed += event.what == Label("cuCtxPushCurrent") ? 1 : 0;
    made.pushed -= event.what == Label("cuCtxPopCurrent") ? 1 : 0;
  }
  return made;
}

void judge_captures(harness::Scene& scene) {
  int begun = 0;
  int ended = 0;
  for (const Event& event : scene.world().history.events()) {
    if (event.kind != EventKind::call) continue;
    begun += event.what == Label("cuStreamBeginCapture") && event.value == 0 ? 1 : 0;
    const bool ends =
        event.value == CUDA_SUCCESS || event.value == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    ended += event.what == Label("cuStreamEndCapture") && ends ? 1 : 0;
  }
  if (begun != ended)
    scene.refuse("capture", fmt::format("ended {} times instead of {}", ended, begun));
}

}  // namespace scenarios::graph_argument
