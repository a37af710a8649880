#include "targets/graph_argument/builder.h"

#include "targets/graph_argument/core.h"

namespace targets::graph_argument {

BuilderBox::~BuilderBox() {
  const harness::SiteScope site(core.scheduler, "GraphBuilder.close");
  if (capturing)
    release(core, {graph ? ResourceKind::owned_capture : ResourceKind::capture, bits_of(stream)});
  if (!graph) core.ghost.destroy(*ghost);
  graph.reset();
  release(core, {ResourceKind::stream, bits_of(stream)});
}

Status BuilderBox::end() {
  const harness::SiteScope site(core.scheduler, "GraphBuilder.end_building");
  capturing = false;
  CUgraph made = nullptr;
  if (cuStreamEndCapture(stream, &made) != CUDA_SUCCESS) {
    core.ghost.reach(Window::r19);
    return Status::driver_error;
  }
  if (!graph)
    graph = Shared<GraphBox>::make(core.arena, core, made, ghost, Shared<GraphBox>(), nullptr);
  ended = true;
  return Status::ok;
}

}  // namespace targets::graph_argument
