// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/service_calls.h"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>

namespace scenarios::graph_argument {

using harness::Event;
using harness::EventKind;
using harness::Label;

namespace {

/// Returns the CUDA function that an op must call; empty if it need not call any.
Label cuda_call(Op op) {
  switch (op) {
    case Op::allocate:
      return "cuMemAllocAsync";
    case Op::load_module:
      return "cuLibraryLoadData";
    case Op::create_event:
      return "cuEventCreate";
    case Op::record:
      return "cuEventRecord";
    case Op::create_definition:
      return "cuGraphCreate";
    case Op::add_kernel:
    case Op::add_scratch:
      return "cuGraphAddKernelNode";
    case Op::add_memcpy:
      return "cuGraphAddMemcpyNode";
    case Op::add_memset:
      return "cuGraphAddMemsetNode";
    case Op::add_record:
      return "cuGraphAddEventRecordNode";
    case Op::add_wait:
      return "cuGraphAddEventWaitNode";
    case Op::add_callback:
      return "cuGraphAddHostNode";
    case Op::add_child:
      return "cuGraphAddChildGraphNode";
    case Op::get_child:
      return "cuGraphChildGraphNodeGetGraph";
    case Op::set_params:
      return "cuGraphKernelNodeSetParams";
    case Op::destroy_node:
      return "cuGraphDestroyNode";
    case Op::clone:
      return "cuGraphClone";
    case Op::add_conditional:
      return "cuGraphAddNode";
    case Op::add_alloc:
      return "cuGraphAddMemAllocNode";
    case Op::add_free:
      return "cuGraphAddMemFreeNode";
    case Op::begin_building:
      return "cuStreamBeginCapture";
    case Op::launch_captured:
      return "cuLaunchKernel";
    case Op::end_building:
      return "cuStreamEndCapture";
    case Op::complete:
    case Op::instantiate:
      return "cuGraphInstantiate";
    case Op::upload:
      return "cuGraphUpload";
    case Op::launch:
      return "cuGraphLaunch";
    case Op::update_node:
      return "cuGraphExecKernelNodeSetParams";
    case Op::update:
      return "cuGraphExecUpdate";
    case Op::synchronize:
      return "cuStreamSynchronize";
    case Op::synchronize_device:
      return "cuCtxSynchronize";
    default:
      return {};
  }
}

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
  const Label wanted = cuda_call(call.asked.op);
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
