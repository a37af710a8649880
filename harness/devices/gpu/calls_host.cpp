// SPDX-License-Identifier: Apache-2.0
// Host functions. The task that enqueues one on a stream waits for the stream and calls it. Those
// of graphs and user objects are called by the next task that calls the driver.
#include "harness/devices/gpu/calls.h"

namespace harness::devices::gpu_calls {

namespace {

using T = DriverTable;

CUresult launch_host_function(CUstream stream, CUhostFn function, void* data) {
  GpuDevice& gpu = GpuDevice::current();
  if (const CUresult error = check(gpu, stream); error != CUDA_SUCCESS) return error;
  if (captures(gpu, stream)) {
    const HostFunction noted = noted_later({function, data});
    return gpu.driver().cuLaunchHostFunc(stream, noted.fn, noted.userData);
  }
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = gpu.driver().cuStreamSynchronize(stream);
  if (status == CUDA_SUCCESS) function(data);
  return status;
}

CUresult add_callback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  GpuDevice& gpu = GpuDevice::current();
  if (const CUresult error = check(gpu, stream); error != CUDA_SUCCESS) return error;
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (captures(gpu, stream)) return gpu.driver().cuStreamAddCallback(stream, callback, data, flags);
  const CUresult status = gpu.driver().cuStreamSynchronize(stream);
  callback(stream, status, data);
  return status;
}

// ---- nodes of graphs --------------------------------------------------------------------------

CUresult get_node(CUgraphNode node, HostFunction* params) {
  const CUresult status = pass<&T::cuGraphHostNodeGetParams>(node, params);
  if (status == CUDA_SUCCESS && params->fn == Callbacks::note) {
    const auto* wrapped = static_cast<const Callbacks::Wrapped*>(params->userData);
    *params = {wrapped->function, wrapped->data};
  }
  return status;
}

CUresult set_node(CUgraphNode node, const HostFunction* params) {
  if (params == nullptr) return pass<&T::cuGraphHostNodeSetParams>(node, params);
  const HostFunction noted = noted_later(*params);
  return pass<&T::cuGraphHostNodeSetParams>(node, &noted);
}

CUresult set_executable_node(CUgraphExec exec, CUgraphNode node, const HostFunction* params) {
  if (params == nullptr) return pass<&T::cuGraphExecHostNodeSetParams>(exec, node, params);
  const HostFunction noted = noted_later(*params);
  return pass<&T::cuGraphExecHostNodeSetParams>(exec, node, &noted);
}

CUresult set_any_node(CUgraphNode node, CUgraphNodeParams* params) {
  NotedLater noted(params);
  return pass<&T::cuGraphNodeSetParams>(node, noted.params());
}

CUresult set_any_executable_node(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams* params) {
  NotedLater noted(params);
  return pass<&T::cuGraphExecNodeSetParams>(exec, node, noted.params());
}

// ---- user objects -----------------------------------------------------------------------------

CUresult create_user_object(CUuserObject* object, void* data, CUhostFn destroy, unsigned count,
                            unsigned flags) {
  const HostFunction noted = noted_later({destroy, data});
  return pass<&T::cuUserObjectCreate>(object, noted.userData, noted.fn, count, flags);
}

}  // namespace

HostFunction noted_later(const HostFunction& given) {
  if (given.fn == nullptr) return given;
  return {Callbacks::note, Callbacks::of_process().wrap(given.fn, given.userData)};
}

NotedLater::NotedLater(CUgraphNodeParams* given) : params_(given) {
  if (given == nullptr || given->type != CU_GRAPH_NODE_TYPE_HOST) return;
  copy_ = *given;
  const HostFunction noted = noted_later({given->host.fn, given->host.userData});
  copy_.host.fn = noted.fn;
  copy_.host.userData = noted.userData;
  params_ = &copy_;
}

void add_host_functions(DriverTable& table) {
  table.cuLaunchHostFunc = launch_host_function;
  table.cuStreamAddCallback = add_callback;
  table.cuGraphHostNodeGetParams = get_node;
  table.cuGraphHostNodeSetParams = set_node;
  table.cuGraphExecHostNodeSetParams = set_executable_node;
  table.cuGraphNodeSetParams = set_any_node;
  table.cuGraphExecNodeSetParams = set_any_executable_node;
  table.cuUserObjectCreate = create_user_object;
  table.cuUserObjectRelease = served<pass<&T::cuUserObjectRelease, CUuserObject, unsigned>>;
  table.cuGraphReleaseUserObject =
      served<pass<&T::cuGraphReleaseUserObject, CUgraph, CUuserObject, unsigned>>;
  table.cuCtxSynchronize = served<pass<&T::cuCtxSynchronize>>;
  table.cuStreamSynchronize = served<pass<&T::cuStreamSynchronize, CUstream>>;
  table.cuEventSynchronize = served<pass<&T::cuEventSynchronize, CUevent>>;
  table.cuStreamQuery = served<pass<&T::cuStreamQuery, CUstream>>;
  table.cuEventQuery = served<pass<&T::cuEventQuery, CUevent>>;
}

}  // namespace harness::devices::gpu_calls
