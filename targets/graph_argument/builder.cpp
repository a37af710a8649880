#include "targets/graph_argument/builder.h"

#include "targets/graph_argument/core.h"

namespace targets::graph_argument {

BuilderBox::~BuilderBox() {
  const harness::SiteScope site(core.scheduler, kBuilderCloseSite);
  if (capturing)
    release(core, {graph ? ResourceKind::owned_capture : ResourceKind::capture, bits_of(stream)});
  if (!graph) core.facts.tell(&GraphWitness::graph_dropped, id);
  graph.reset();
  release(core, {ResourceKind::stream, bits_of(stream)});
}

Status BuilderBox::end() {
  const harness::SiteScope site(core.scheduler, kBuilderEndSite);
  capturing = false;
  CUgraph made = nullptr;
  if (cuStreamEndCapture(stream, &made) != CUDA_SUCCESS) {
    core.facts.tell(&Observer::capture_failed);
    return Status::driver_error;
  }
  if (!graph)
    graph = Shared<GraphBox>::make(core.arena, core, made, id, Shared<GraphBox>(), nullptr);
  ended = true;
  return Status::ok;
}

}  // namespace targets::graph_argument
