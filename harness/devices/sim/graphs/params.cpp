// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/params.h"

#include <algorithm>
#include <cstring>

#include "harness/devices/sim/calls/array/copy_shape.h"
#include "harness/devices/sim/memory/ops.h"

namespace harness::devices {

/// Finds a context. Null means the current one; returns `missing` if there is none.
static CUresult find_context(SimDevice& sim, CUcontext handle, CUresult missing, Context*& found) {
  if (handle == nullptr) {
    found = sim.threads().context();
    if (found == nullptr) return missing;
    return found->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  found = sim.find(sim.handles().contexts, handle, "context");
  return found != nullptr ? CUDA_SUCCESS : missing;
}

CUresult find_node_place(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                         bool may_be_host, Place& place) {
  const Block& block = sim.memory().block(sim.memory().newest(address));
  if (block.graph == nullptr || !sim.ledger().alive(block.birth) || !block.holds(address, bytes))
    return calls::find_place(sim, address, bytes, may_be_host, place);
  place = {address, block.birth};
  return CUDA_SUCCESS;
}

// ---- kernels ----------------------------------------------------------------------------------

static CUresult find_node_function(SimDevice& sim, const CUDA_KERNEL_NODE_PARAMS& given,
                                   Function*& function, Context*& context) {
  const bool by_kernel = given.func == nullptr;
  const CUfunction handle = by_kernel ? reinterpret_cast<CUfunction>(given.kern) : given.func;
  if (handle == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  function = calls::find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  context = function->module->context;
  return context != nullptr ? CUDA_SUCCESS
                            : find_context(sim, given.ctx, CUDA_ERROR_INVALID_VALUE, context);
}

/// Points the parameters at the copied values, for queries of the node.
static void point_at_values(NodeParams& params) {
  const KernelEntry& entry = *params.function->entry;
  for (std::uint32_t i = 0; i < entry.parameter_count; ++i)
    params.pointers.push_back(params.values.data() + entry.parameters[i].offset);
  if (params.kernel.extra != nullptr) {
    params.value_bytes = params.values.size();
    void* const extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, params.values.data(),
                           CU_LAUNCH_PARAM_BUFFER_SIZE, &params.value_bytes, CU_LAUNCH_PARAM_END};
    std::copy(std::begin(extra), std::end(extra), params.extra);
    params.kernel.extra = params.extra;
  } else if (params.kernel.kernelParams != nullptr) {
    params.kernel.kernelParams = params.pointers.data();
  }
}

CUlaunchConfig config_of(const CUDA_KERNEL_NODE_PARAMS& given) {
  return {given.gridDimX,  given.gridDimY,       given.gridDimZ, given.blockDimX, given.blockDimY,
          given.blockDimZ, given.sharedMemBytes, nullptr,        nullptr,         0};
}

Found<const NodeParams> make_kernel_params(SimDevice& sim, const CUDA_KERNEL_NODE_PARAMS& given) {
  Function* function = nullptr;
  Context* context = nullptr;
  if (const CUresult error = find_node_function(sim, given, function, context);
      error != CUDA_SUCCESS)
    return error;
  if (!calls::fits(config_of(given), *function->entry) ||
      (given.kernelParams != nullptr && given.extra != nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  Launch& scratch = sim.graphs().definitions().scratch_launch();
  if (!calls::copy_parameters(scratch, *function->entry, given.kernelParams, given.extra))
    return CUDA_ERROR_INVALID_VALUE;
  NodeParams& params =
      sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_KERNEL, function->label);
  params.kernel = given;
  params.function = function;
  params.context = context;
  params.values = scratch.values;
  point_at_values(params);
  const Memory::CallView view(sim.memory());
  sim.provenance().capture(params.values.data(), params.values.size(), params.words);
  return params;
}

// ---- copies and sets --------------------------------------------------------------------------

/// The first row stands for all rows, because other memory may be between them.
static void lend_pageable(SimDevice& sim, Place& place, std::uint64_t bytes) {
  if (place.birth == BirthId::none)
    place.lent = sim.host_memory().lent().lend(LentFor::copy_node, place.address, bytes);
}

Found<const NodeParams> make_copy_params(SimDevice& sim, const CUDA_MEMCPY3D& given,
                                         CUcontext handle) {
  Context* context = nullptr;
  if (const CUresult error = find_context(sim, handle, CUDA_ERROR_INVALID_VALUE, context);
      error != CUDA_SUCCESS)
    return error;
  if (given.WidthInBytes == 0 || given.Height == 0 || given.Depth == 0)
    return CUDA_ERROR_INVALID_VALUE;
  calls::CopyShape shape;
  if (const CUresult error = calls::find_copy(sim, given, find_node_place, shape);
      error != CUDA_SUCCESS)
    return error;
  NodeParams& params = sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_MEMCPY, "copy");
  params.copy = given;
  params.context = context;
  params.target = shape.target;
  params.source = shape.source;
  params.rows = shape.rows;
  lend_pageable(sim, params.target, shape.bytes);
  lend_pageable(sim, params.source, shape.bytes);
  return params;
}

Found<const NodeParams> make_set_params(SimDevice& sim, const CUDA_MEMSET_NODE_PARAMS& given,
                                        CUcontext handle) {
  Context* context = nullptr;
  if (const CUresult error = find_context(sim, handle, CUDA_ERROR_INVALID_CONTEXT, context);
      error != CUDA_SUCCESS)
    return error;
  const unsigned width = given.elementSize;
  if ((width != 1 && width != 2 && width != 4) || given.dst % width != 0 || given.width == 0 ||
      given.height == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t row = std::min<std::uint64_t>(given.width, Memory::kBytes) * width;
  if (given.height > 1 && (given.pitch < row || given.pitch % width != 0))
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t bytes = calls::extent_bytes(given.height - 1, given.pitch, row);
  Place target;
  if (const CUresult error = find_node_place(sim, given.dst, bytes, false, target);
      error != CUDA_SUCCESS)
    return error;
  NodeParams& params = sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_MEMSET, "set");
  params.set = given;
  params.context = context;
  params.target = target;
  return params;
}

// ---- the host and events ----------------------------------------------------------------------

Found<const NodeParams> make_host_params(SimDevice& sim, const CUDA_HOST_NODE_PARAMS& given) {
  if (given.fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  NodeParams& params =
      sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_HOST, "host function");
  params.host = given;
  params.lent = sim.host_memory().lent().lend(LentFor::host_node,
                                              reinterpret_cast<std::uint64_t>(given.userData), 1);
  return params;
}

Found<const NodeParams> make_event_params(SimDevice& sim, CUgraphNodeType type, CUevent handle) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Event* event = sim.find(sim.handles().events, handle, "event");
  if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
  NodeParams& params = sim.graphs().definitions().fresh_params(
      type, type == CU_GRAPH_NODE_TYPE_EVENT_RECORD ? Label("record") : Label("wait"));
  params.event = event;
  return params;
}

Found<const NodeParams> make_memory_op_params(SimDevice& sim,
                                              const CUDA_BATCH_MEM_OP_NODE_PARAMS& given) {
  if (given.flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Context* context = nullptr;
  if (const CUresult error = find_context(sim, given.ctx, CUDA_ERROR_INVALID_VALUE, context);
      error != CUDA_SUCCESS)
    return error;
  NodeParams& params =
      sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, "memory operation");
  if (const CUresult error =
          read_memory_ops(sim, given.count, given.paramArray, find_node_place, params.memory_ops);
      error != CUDA_SUCCESS)
    return error;
  params.context = context;
  params.batch_operations.assign(given.paramArray, given.paramArray + given.count);
  params.batch = given;
  params.batch.paramArray = params.batch_operations.data();
  return params;
}

Found<const NodeParams> make_params(SimDevice& sim, const CUgraphNodeParams& given) {
  switch (given.type) {
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return sim.graphs().definitions().fresh_params(given.type, "empty");
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      CUDA_KERNEL_NODE_PARAMS same;
      static_assert(sizeof same == sizeof given.kernel, "version 3 differs in what bytes may mean");
      std::memcpy(&same, &given.kernel, sizeof same);
      return make_kernel_params(sim, same);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      if (given.memcpy.flags != 0 || given.memcpy.reserved != 0) return CUDA_ERROR_INVALID_VALUE;
      return make_copy_params(sim, given.memcpy.copyParams, given.memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return make_set_params(sim,
                             {given.memset.dst, given.memset.pitch, given.memset.value,
                              given.memset.elementSize, given.memset.width, given.memset.height},
                             given.memset.ctx);
    case CU_GRAPH_NODE_TYPE_HOST:
      return make_host_params(sim, {given.host.fn, given.host.userData});
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return make_event_params(sim, given.type, given.eventRecord.event);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return make_event_params(sim, given.type, given.eventWait.event);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return make_memory_op_params(
          sim, {given.memOp.ctx, given.memOp.count, given.memOp.paramArray, given.memOp.flags});
    default:
      return given.type >= CU_GRAPH_NODE_TYPE_KERNEL && given.type <= CU_GRAPH_NODE_TYPE_CONDITIONAL
                 ? CUDA_ERROR_NOT_SUPPORTED
                 : CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace harness::devices
