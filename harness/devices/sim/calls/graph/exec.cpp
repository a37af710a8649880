// Executable graphs: launching and destroying them.
#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

CUresult Calls::cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const GraphExec* exec = sim.find(sim.graphs.execs, handle, "executable graph");
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

void upload(SimDevice& sim, GraphExec& exec, Stream& stream) {
  Work& work = sim.fresh_work(WorkKind::wait, "upload");
  if (!done(exec.last)) work.after.push_back(exec.last);
  exec.last = sim.submit(stream, work, Lag::never);
}

CUresult Calls::cuGraphUpload(CUgraphExec handle, CUstream on) {
  const Found<Stream> stream = find_uncaptured_stream(sim, on);
  if (!stream) return stream.error();
  const UsingExec call(sim, handle, stream->resource);
  if (call.exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  upload(sim, *call.exec, *stream);
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphLaunch(CUgraphExec handle, CUstream on) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  const UsingExec call(sim, handle, stream->resource);
  if (call.exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture != nullptr) return sim.captures.add(*stream, *call.exec->root);
  if (!sim.graphs.may_launch(*call.exec)) return CUDA_ERROR_INVALID_VALUE;
  sim.graphs.launch(*call.exec, *stream);
  return sim.broken;
}

CUresult Calls::cuGraphExecDestroy(CUgraphExec handle) {
  if (const GraphExec* dead = sim.graphs.execs.find(handle); dead != nullptr && !dead->alive) {
    sim.ledger().double_free(dead->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  const UsingExec call(sim, handle);
  if (call.exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  sim.graphs.destroy(*call.exec);  // What is in flight still runs to its end.
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
