// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/ops.h"

#include <cstring>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices {

static constexpr unsigned kCountLimit = 256;

// ---- operations of a call ---------------------------------------------------------------------

static CUresult find_value(SimDevice& sim, CUdeviceptr address, FindPlace find_place,
                           MemoryOp& op) {
  if (address % op.bytes != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = find_place(sim, address, op.bytes, false, op.place);
      error != CUDA_SUCCESS)
    return error;
  const Block& block = sim.memory().block(sim.memory().newest(address));
  if (block.origin == Origin::managed) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

static CUresult read_wait(SimDevice& sim, const CUstreamBatchMemOpParams& given,
                          FindPlace find_place, MemoryOp& op) {
  const auto& wait = given.waitValue;
  if ((wait.flags & CU_STREAM_WAIT_VALUE_FLUSH) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  if (wait.flags > CU_STREAM_WAIT_VALUE_NOR) return CUDA_ERROR_INVALID_VALUE;
  op.waits = true;
  op.bytes = wait.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ? 4 : 8;
  op.value = op.bytes == 4 ? wait.value : wait.value64;
  op.condition = wait.flags;
  return find_value(sim, wait.address, find_place, op);
}

static CUresult read_write(SimDevice& sim, const CUstreamBatchMemOpParams& given,
                           FindPlace find_place, MemoryOp& op) {
  const auto& write = given.writeValue;
  if (write.flags != CU_STREAM_WRITE_VALUE_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  op.bytes = write.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? 4 : 8;
  op.value = op.bytes == 4 ? write.value : write.value64;
  return find_value(sim, write.address, find_place, op);
}

CUresult read_memory_ops(SimDevice& sim, unsigned count, const CUstreamBatchMemOpParams* parameters,
                         FindPlace find_place, std::vector<MemoryOp>& operations) {
  if (count >= kCountLimit || (count != 0 && parameters == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    MemoryOp op;
    CUresult status = CUDA_ERROR_INVALID_VALUE;
    switch (parameters[i].operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        status = read_wait(sim, parameters[i], find_place, op);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        status = read_write(sim, parameters[i], find_place, op);
        break;
      case CU_STREAM_MEM_OP_BARRIER:  // The work of a stream is done in order anyway.
        if (parameters[i].memoryBarrier.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU) continue;
        break;
      case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        status = CUDA_ERROR_NOT_SUPPORTED;
        break;
    }
    if (status != CUDA_SUCCESS) return status;
    operations.push_back(op);
  }
  return CUDA_SUCCESS;
}

// ---- execution in a stream --------------------------------------------------------------------

bool wait_is_over(unsigned condition, std::uint32_t bytes, std::uint64_t found,
                  std::uint64_t wanted) {
  const std::uint64_t all = bytes == 4 ? 0xffff'ffff : ~std::uint64_t{0};
  const std::uint64_t sign = (all >> 1) + 1;
  switch (condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return ((found - wanted) & sign) == 0;  // Cyclic comparison.
    case CU_STREAM_WAIT_VALUE_EQ:
      return (found & all) == (wanted & all);
    case CU_STREAM_WAIT_VALUE_AND:
      return (found & wanted & all) != 0;
    default:
      return (~(found | wanted) & all) != 0;
  }
}

}  // namespace harness::devices
