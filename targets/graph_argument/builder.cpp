// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/builder.h"

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

BuilderBox::~BuilderBox() {
  const harness::SiteScope site(core.scheduler, kBuilderCloseSite);
  const bool takes = core.policy->captured() == Captured::owned_when_ended;
  if (capturing)
    release(core, {takes ? ResourceKind::capture : ResourceKind::lone_capture, bits_of(stream)});
  if (!graph) core.facts.tell(&GraphWitness::graph_dropped, id);
  graph.reset();
  release(core, {ResourceKind::stream, bits_of(stream)});
}

// Checks is_building first, as upstream does, which raises if the capture is no longer valid. Such
// a capture ends only with the builder.
Status BuilderBox::end() {
  const harness::SiteScope site(core.scheduler, kBuilderEndSite);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr) !=
          CUDA_SUCCESS ||
      status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return Status::driver_error;
  CUgraph made = nullptr;
  const CUresult result = cuStreamEndCapture(stream, &made);
  capturing = result != CUDA_SUCCESS && result != CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (result != CUDA_SUCCESS) {  // It has ended even if it was invalidated after the check.
    if (!capturing) core.facts.tell(&Observer::capture_failed);
    return Status::driver_error;
  }
  if (!graph)
    graph = Shared<GraphBox>::make(core.arena, core, made, id, Shared<GraphBox>(), nullptr);
  ended = true;
  return Status::ok;
}

}  // namespace targets::graph_argument
