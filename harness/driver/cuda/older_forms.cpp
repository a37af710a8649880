// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/cuda/older_forms.h"

namespace harness::older {

CUmemLocation location(CUdevice device) {
  CUmemLocation place{};
  place.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  place.id = device == CU_DEVICE_CPU ? 0 : device;
  return place;
}

CUresult launch_cooperatively(CUfunction function, CUlaunchConfig config, void** parameters) {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  return cuLaunchKernelEx(&config, function, parameters, nullptr);
}

// ---- arrays -------------------------------------------------------------------------------------

CUresult create_array(CUarray* array, const ArrayDescriptor* wanted) {
  if (wanted == nullptr) return cuArrayCreate_v2(array, nullptr);
  const CUDA_ARRAY_DESCRIPTOR newer{wanted->Width, wanted->Height, wanted->Format,
                                    wanted->NumChannels};
  return cuArrayCreate_v2(array, &newer);
}

/// The extents of an array fit into 32 bits.
CUresult get_array(ArrayDescriptor* found, CUarray array) {
  CUDA_ARRAY_DESCRIPTOR newer{};
  const CUresult status = cuArrayGetDescriptor_v2(found != nullptr ? &newer : nullptr, array);
  if (status == CUDA_SUCCESS)
    *found = {static_cast<unsigned>(newer.Width), static_cast<unsigned>(newer.Height), newer.Format,
              newer.NumChannels};
  return status;
}

CUresult create_array_3d(CUarray* array, const Array3dDescriptor* wanted) {
  if (wanted == nullptr) return cuArray3DCreate_v2(array, nullptr);
  const CUDA_ARRAY3D_DESCRIPTOR newer{wanted->Width,  wanted->Height,      wanted->Depth,
                                      wanted->Format, wanted->NumChannels, wanted->Flags};
  return cuArray3DCreate_v2(array, &newer);
}

CUresult get_array_3d(Array3dDescriptor* found, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR newer{};
  const CUresult status = cuArray3DGetDescriptor_v2(found != nullptr ? &newer : nullptr, array);
  if (status == CUDA_SUCCESS)
    *found = {static_cast<unsigned>(newer.Width),
              static_cast<unsigned>(newer.Height),
              static_cast<unsigned>(newer.Depth),
              newer.Format,
              newer.NumChannels,
              newer.Flags};
  return status;
}

// ---- kernel nodes -------------------------------------------------------------------------------

static CUDA_KERNEL_NODE_PARAMS newer(const CUDA_KERNEL_NODE_PARAMS_v1& given) {
  return {given.func,         given.gridDimX,  given.gridDimY,  given.gridDimZ,
          given.blockDimX,    given.blockDimY, given.blockDimZ, given.sharedMemBytes,
          given.kernelParams, given.extra,     nullptr,         nullptr};
}

CUresult add_kernel_node(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                         std::size_t after_count, const CUDA_KERNEL_NODE_PARAMS_v1* given) {
  if (given == nullptr) return cuGraphAddKernelNode_v2(created, graph, after, after_count, nullptr);
  const CUDA_KERNEL_NODE_PARAMS parameters = newer(*given);
  return cuGraphAddKernelNode_v2(created, graph, after, after_count, &parameters);
}

CUresult get_kernel_node(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* found) {
  CUDA_KERNEL_NODE_PARAMS newer{};
  CUresult status = cuGraphKernelNodeGetParams_v2(node, found != nullptr ? &newer : nullptr);
  if (status == CUDA_SUCCESS && newer.func == nullptr)
    status = cuKernelGetFunction(&newer.func, newer.kern);
  if (status == CUDA_SUCCESS)
    *found = {newer.func,         newer.gridDimX,  newer.gridDimY,  newer.gridDimZ,
              newer.blockDimX,    newer.blockDimY, newer.blockDimZ, newer.sharedMemBytes,
              newer.kernelParams, newer.extra};
  return status;
}

CUresult set_kernel_node(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* given) {
  if (given == nullptr) return cuGraphKernelNodeSetParams_v2(node, nullptr);
  const CUDA_KERNEL_NODE_PARAMS parameters = newer(*given);
  return cuGraphKernelNodeSetParams_v2(node, &parameters);
}

CUresult set_executable_kernel_node(CUgraphExec exec, CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* given) {
  if (given == nullptr) return cuGraphExecKernelNodeSetParams_v2(exec, node, nullptr);
  const CUDA_KERNEL_NODE_PARAMS parameters = newer(*given);
  return cuGraphExecKernelNodeSetParams_v2(exec, node, &parameters);
}

// ---- executable graphs --------------------------------------------------------------------------

CUresult instantiate(CUgraphExec* created, CUgraph graph, CUgraphNode* culprit, char* log,
                     std::size_t log_bytes) {
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters{};
  const CUresult status = cuGraphInstantiateWithParams(created, graph, &parameters);
  if (culprit != nullptr) *culprit = parameters.hErrNode_out;
  if (log != nullptr && log_bytes > 0) *log = '\0';
  return status;
}

/// If a call sets no result, both outputs keep their values. Each may be null.
CUresult update_executable(CUgraphExec exec, CUgraph graph, CUgraphNode* culprit,
                           CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info{};
  if (result != nullptr) info.result = *result;
  if (culprit != nullptr) info.errorNode = *culprit;
  const CUresult status = cuGraphExecUpdate_v2(exec, graph, &info);
  if (result != nullptr) *result = info.result;
  if (culprit != nullptr) *culprit = info.errorNode;
  return status;
}

}  // namespace harness::older
