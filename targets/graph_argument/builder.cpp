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

// It asks is_building first, which raises where the capture is not valid any more: nobody ends that
// one until the builder goes.
Status BuilderBox::end() {
  const harness::SiteScope site(core.scheduler, kBuilderEndSite);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr) !=
          CUDA_SUCCESS ||
      status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return Status::driver_error;
  CUgraph made = nullptr;
  if (cuStreamEndCapture(stream, &made) != CUDA_SUCCESS) return Status::driver_error;
  capturing = false;
  if (!graph)
    graph = Shared<GraphBox>::make(core.arena, core, made, id, Shared<GraphBox>(), nullptr);
  ended = true;
  return Status::ok;
}

}  // namespace targets::graph_argument
