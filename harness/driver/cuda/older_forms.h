// SPDX-License-Identifier: Apache-2.0
// Older forms: functions with the parameters of an older form of an entry point, which call the
// equivalent row of cuda.def. Rows of aliases.def name them.
//
// Errors: the row's.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace harness::older {

/// CUDA_ARRAY_DESCRIPTOR_v1, which cuda.h defines only for a driver.
struct ArrayDescriptor {
  unsigned Width;
  unsigned Height;
  CUarray_format Format;
  unsigned NumChannels;
};
/// CUDA_ARRAY3D_DESCRIPTOR_v1.
struct Array3dDescriptor {
  unsigned Width;
  unsigned Height;
  unsigned Depth;
  CUarray_format Format;
  unsigned NumChannels;
  unsigned Flags;
};

/// Returns the memory location for a device number, one of which means the host.
CUmemLocation location(CUdevice device);

/// Calls cuLaunchKernelEx with the attribute for a cooperative launch.
CUresult launch_cooperatively(CUfunction function, CUlaunchConfig config, void** parameters);

/// Calls cuArrayCreate_v2.
CUresult create_array(CUarray* array, const ArrayDescriptor* wanted);
/// Calls cuArrayGetDescriptor_v2.
CUresult get_array(ArrayDescriptor* found, CUarray array);
/// Calls cuArray3DCreate_v2.
CUresult create_array_3d(CUarray* array, const Array3dDescriptor* wanted);
/// Calls cuArray3DGetDescriptor_v2.
CUresult get_array_3d(Array3dDescriptor* found, CUarray array);

/// Calls cuGraphAddKernelNode_v2.
CUresult add_kernel_node(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                         std::size_t after_count, const CUDA_KERNEL_NODE_PARAMS_v1* given);
/// Calls cuGraphKernelNodeGetParams_v2. For a node with a CUkernel, returns its function in the
/// current context.
CUresult get_kernel_node(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* found);
/// Calls cuGraphKernelNodeSetParams_v2.
CUresult set_kernel_node(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* given);
/// Calls cuGraphExecKernelNodeSetParams_v2.
CUresult set_executable_kernel_node(CUgraphExec exec, CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* given);
/// Calls cuGraphInstantiateWithParams. The log stays empty, because its contents are not
/// documented.
CUresult instantiate(CUgraphExec* created, CUgraph graph, CUgraphNode* culprit, char* log,
                     std::size_t log_bytes);
/// Calls cuGraphExecUpdate_v2.
CUresult update_executable(CUgraphExec exec, CUgraph graph, CUgraphNode* culprit,
                           CUgraphExecUpdateResult* result);

}  // namespace harness::older
