// SPDX-License-Identifier: Apache-2.0
// Parameters of nodes, from the structs of the API. Each function copies the values that they point
// at, resolves the memory that they refer to, and returns the documented error for invalid
// parameters.
#pragma once

#include "harness/devices/sim/found.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

/// Finds the memory that a node refers to. Memory that a graph allocates need not be live yet.
CUresult find_node_place(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                         bool may_be_host, Place& place);

/// Returns the launch configuration of a kernel node.
CUlaunchConfig config_of(const CUDA_KERNEL_NODE_PARAMS& given);

Found<const NodeParams> make_kernel_params(SimDevice& sim, const CUDA_KERNEL_NODE_PARAMS& given);
Found<const NodeParams> make_copy_params(SimDevice& sim, const CUDA_MEMCPY3D& given,
                                         CUcontext context);
Found<const NodeParams> make_set_params(SimDevice& sim, const CUDA_MEMSET_NODE_PARAMS& given,
                                        CUcontext context);
Found<const NodeParams> make_host_params(SimDevice& sim, const CUDA_HOST_NODE_PARAMS& given);
Found<const NodeParams> make_event_params(SimDevice& sim, CUgraphNodeType type, CUevent event);
Found<const NodeParams> make_memory_op_params(SimDevice& sim,
                                              const CUDA_BATCH_MEM_OP_NODE_PARAMS& given);

/// Makes an allocation of `graph` and stores its address in `given`. It is dropped with the node.
Found<const NodeParams> make_alloc_params(SimDevice& sim, const Graph& graph,
                                          CUDA_MEM_ALLOC_NODE_PARAMS& given);
/// Makes the free of a graph's allocation by `graph`, which is then registered as the one that
/// frees it.
Found<const NodeParams> make_free_params(SimDevice& sim, const Graph& graph, CUdeviceptr address);

/// Makes parameters from the struct for all types. The caller handles child graphs, memory and
/// conditions.
Found<const NodeParams> make_params(SimDevice& sim, const CUgraphNodeParams& given);

/// Returns whether the attributes fit: a cooperative kernel gets its parameters by pointers.
inline bool fit(const KernelAttributes& attributes, const NodeParams& params) {
  return !attributes.cooperative() || params.kernel.extra == nullptr;
}

/// Returns whether a node in an executable graph with parameters `from` may get `to`.
bool may_become(SimDevice& sim, const NodeParams& from, const NodeParams& to);

}  // namespace harness::devices
