// SPDX-License-Identifier: Apache-2.0
// Parameters of nodes, from the structs of the API. Each function copies the values that they
// point at, remembers whose memory those meant, and leaves the documented error where something is
// wrong with them.
#pragma once

#include "harness/devices/sim/found.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

/// Finds whose memory a node means. Memory that a graph allocates need not live yet.
CUresult find_node_place(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                         bool may_be_host, Place& place);

/// The grid of a kernel node, as a launch says it.
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

/// A new allocation of `graph`; tells `given` the address. It is dropped with the node.
Found<const NodeParams> make_alloc_params(SimDevice& sim, const Graph& graph,
                                          CUDA_MEM_ALLOC_NODE_PARAMS& given);
/// The free of a graph's allocation by `graph`, which from then on is the one that frees it.
Found<const NodeParams> make_free_params(SimDevice& sim, const Graph& graph, CUdeviceptr address);

/// From the struct that serves all types. Child graphs, memory and conditions
/// are the caller's business.
Found<const NodeParams> make_params(SimDevice& sim, const CUgraphNodeParams& given);

/// A cooperative kernel gets its parameters by pointer.
inline bool fit(const KernelAttributes& attributes, const NodeParams& params) {
  return !attributes.cooperative() || params.kernel.extra == nullptr;
}

/// Returns whether a node with the first may be given the second once it is in an executable graph.
bool may_become(SimDevice& sim, const NodeParams& from, const NodeParams& to);

}  // namespace harness::devices
