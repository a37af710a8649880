// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

void release(Core& core, Garbage garbage) { core.policy->release(std::move(garbage)); }

static void end_capture(Core& core, const Garbage& garbage) {
  CUgraph made = nullptr;
  if (cuStreamEndCapture(reinterpret_cast<CUstream>(garbage.handle), &made) != CUDA_SUCCESS)
    core.facts.tell(&Observer::capture_failed);
  if (made != nullptr && garbage.kind == ResourceKind::capture) cuGraphDestroy(made);
}

static void call(Core& core, const Garbage& garbage) {
  const std::uint64_t handle = garbage.handle;
  switch (garbage.kind) {
    case ResourceKind::memory:
      cuMemFreeAsync(handle, garbage.stream->stream);
      return;
    case ResourceKind::stream:
      cuStreamDestroy(reinterpret_cast<CUstream>(handle));
      return;
    case ResourceKind::event:
      cuEventDestroy(reinterpret_cast<CUevent>(handle));
      return;
    case ResourceKind::library:
      cuLibraryUnload(reinterpret_cast<CUlibrary>(handle));
      return;
    case ResourceKind::graph:
      cuGraphDestroy(reinterpret_cast<CUgraph>(handle));
      return;
    case ResourceKind::exec:
      cuGraphExecDestroy(reinterpret_cast<CUgraphExec>(handle));
      return;
    case ResourceKind::user_object:
      cuUserObjectRelease(reinterpret_cast<CUuserObject>(handle), 1);
      return;
    case ResourceKind::capture:
    case ResourceKind::lone_capture:
      return end_capture(core, garbage);
  }
}

/// Returns the place in cuda.core that destroys the thing.
static harness::Label end_site(const Garbage& garbage) {
  if (garbage.kind == ResourceKind::event) return kEventEndSite;
  if (garbage.kind == ResourceKind::library) return kModuleEndSite;
  return garbage.closed ? kBufferCloseSite : kBufferEndSite;
}

void carry_out(Core& core, const Garbage& garbage) {
  if (garbage.thing == ThingId::none) return call(core, garbage);
  const harness::SiteScope site(core.scheduler, end_site(garbage));
  core.facts.tell(&ThingWitness::thing_ends, garbage.thing);
  call(core, garbage);
}

GraphBox::GraphBox(Core& the_core, CUgraph handle, GraphId the_id, Shared<GraphBox> the_parent,
                   CUgraphNode the_owner)
    : core(the_core), graph(handle), id(the_id), parent(std::move(the_parent)), owner(the_owner) {
  core.facts.tell(&GraphWitness::handle_born, bits_of(handle));
}

GraphBox::~GraphBox() {
  if (parent) {
    std::erase(parent->children, this);
    return;
  }
  core.facts.tell(&GraphWitness::graph_dropped, id);
  core.policy->dropped(*this);
  release(core, {ResourceKind::graph, bits_of(graph)});
}

ExecBox::~ExecBox() {
  core.facts.tell(&ExecWitness::exec_dropped, id);
  core.policy->dropped(*this);
  release(core, {ResourceKind::exec, bits_of(exec)});
}

}  // namespace targets::graph_argument
