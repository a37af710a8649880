// SPDX-License-Identifier: Apache-2.0
// Executable graphs: launched and destroyed.
#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

CUresult Calls::cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Executable* exec = sim.find(sim.graphs().executables().table(), handle, "executable graph");
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

void upload(SimDevice& sim, Executable& exec, Stream& stream) {
  Work& work = sim.queues().fresh(WorkKind::wait, "upload");
  if (!done(exec.last)) work.after.push_back(exec.last);
  exec.last = sim.queues().submit(stream, work, Lag::never);
}

CUresult Calls::cuGraphUpload(CUgraphExec handle, CUstream on) {
  const Found<Stream> stream = find_uncaptured_stream(sim, on);
  if (!stream) return stream.error();
  const UsingExecutable call(sim, handle, stream->resource);
  if (call.executable() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  upload(sim, *call.executable(), *stream);
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphLaunch(CUgraphExec handle, CUstream on) {
  const Found<Stream> stream = find_uncaptured_stream(sim, on);
  if (!stream) return stream.error();
  const UsingExecutable call(sim, handle, stream->resource);
  if (call.executable() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!sim.graphs().executables().may_launch(*call.executable())) return CUDA_ERROR_INVALID_VALUE;
  sim.graphs().executables().launch(*call.executable(), *stream);
  return sim.faults().broken();
}

CUresult Calls::cuGraphExecDestroy(CUgraphExec handle) {
  if (const Executable* dead = sim.graphs().executables().table().find(handle);
      dead != nullptr && !dead->alive) {
    sim.ledger().double_free(dead->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  const UsingExecutable call(sim, handle);
  if (call.executable() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  sim.graphs().executables().destroy(*call.executable());  // Launches in flight are completed.
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
