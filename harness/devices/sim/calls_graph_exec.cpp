// Executable graphs: making, launching and destroying them.
#include "harness/devices/sim/calls_graph.h"

namespace harness::devices::calls {

static constexpr cuuint64_t kFlags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

// ---- instantiation ----------------------------------------------------------------------------

static CUresult instantiate(SimDevice& sim, Graph& graph, cuuint64_t flags, GraphExec*& made,
                            CUgraphInstantiateResult& result, const GraphNode*& culprit) {
  result = CUDA_GRAPH_INSTANTIATE_ERROR;
  if (graph.owner != nullptr)
    return CUDA_ERROR_INVALID_VALUE;  // An embedded graph is not launched.
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  // Its memory, and the values of its conditions, are there once.
  if (graph.exec_count > 0 && (graph.has_memory_nodes() || graph.has_conditional_nodes()))
    return CUDA_ERROR_INVALID_VALUE;
  if (sim.graphs.has_unused_conditional(graph)) {
    result = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
    return CUDA_ERROR_INVALID_VALUE;
  }
  culprit = Graphs::find_cycle(graph);
  if (culprit != nullptr) {
    result = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    return CUDA_ERROR_INVALID_VALUE;
  }
  made = &sim.graphs.instantiate(graph, flags & ~cuuint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD});
  result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return CUDA_SUCCESS;
}

static bool are_valid(cuuint64_t flags) {
  constexpr cuuint64_t kEither =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  return (flags & ~kFlags) == 0 && (flags & kEither) != kEither;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* created, CUgraph handle,
                                     unsigned long long flags) {
  SimDevice& sim = SimDevice::current();
  if (created == nullptr || !are_valid(flags) || (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GraphExec* made = nullptr;
  CUgraphInstantiateResult result{};
  const GraphNode* culprit = nullptr;
  const CUresult status = instantiate(sim, *call.graph, flags, made, result, culprit);
  if (status == CUDA_SUCCESS) *created = made->as<CUgraphExec>();
  return status;
}

/// Nothing is moved; but the next launch comes after it.
static void upload(SimDevice& sim, GraphExec& exec, Stream& stream) {
  Work& work = sim.fresh_work(WorkKind::wait, "upload");
  if (!done(exec.last)) work.after.push_back(exec.last);
  exec.last = sim.submit(stream, work, Lag::never);
}

static CUresult instantiate_with(CUgraphExec* created, CUgraph handle,
                                 CUDA_GRAPH_INSTANTIATE_PARAMS* params, CUstream upload_stream) {
  SimDevice& sim = SimDevice::current();
  if (created == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  params->hErrNode_out = nullptr;
  params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  if (!are_valid(params->flags)) return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool uploads = (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0;
  Stream* stream = nullptr;
  if (uploads)
    if (const CUresult error = sim.find_stream(upload_stream, stream); error != CUDA_SUCCESS)
      return error;
  GraphExec* made = nullptr;
  const GraphNode* culprit = nullptr;
  const CUresult status =
      instantiate(sim, *call.graph, params->flags, made, params->result_out, culprit);
  if (culprit != nullptr) params->hErrNode_out = culprit->as<CUgraphNode>();
  if (status != CUDA_SUCCESS) return status;
  *created = made->as<CUgraphExec>();
  if (uploads) upload(sim, *made, *stream);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* created, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return instantiate_with(created, graph, params,
                          params != nullptr ? params->hUploadStream : nullptr);
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* created, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return instantiate_with(created, graph, params,
                          per_thread(params != nullptr ? params->hUploadStream : nullptr));
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  SimDevice& sim = SimDevice::current();
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const GraphExec* exec = sim.find(sim.graphs.execs, handle, "executable graph");
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

// ---- launches ---------------------------------------------------------------------------------

CUresult cuGraphUpload(CUgraphExec handle, CUstream on) {
  SimDevice& sim = SimDevice::current();
  SIM_STREAM(stream, on);
  const UsingExec call(sim, handle, stream->resource);
  if (call.exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  upload(sim, *call.exec, *stream);
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream on) {
  SimDevice& sim = SimDevice::current();
  SIM_WORK_STREAM(stream, on);
  const UsingExec call(sim, handle, stream->resource);
  if (call.exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture != nullptr) return sim.captures.add(*stream, *call.exec->root);
  if (!sim.graphs.may_launch(*call.exec)) return CUDA_ERROR_INVALID_VALUE;
  sim.graphs.launch(*call.exec, *stream);
  return sim.broken;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  SimDevice& sim = SimDevice::current();
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
