#include "harness/devices/sim/memory/ops.h"

#include <cstring>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"
#include "harness/sanitizers.h"

namespace harness::devices {

static constexpr unsigned kCountLimit = 256;

// ---- what a call says -------------------------------------------------------------------------

static CUresult find_value(SimDevice& sim, CUdeviceptr address, FindPlace find_place,
                           MemoryOp& op) {
  if (address % op.bytes != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = find_place(sim, address, op.bytes, false, op.place);
      error != CUDA_SUCCESS)
    return error;
  const Block& block = sim.memory.block(sim.memory.newest(address));
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
      case CU_STREAM_MEM_OP_BARRIER:  // Work of a stream is done in its order anyway.
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

// ---- what a stream does -----------------------------------------------------------------------

bool wait_is_over(unsigned condition, std::uint32_t bytes, std::uint64_t found,
                  std::uint64_t wanted) {
  const std::uint64_t all = bytes == 4 ? 0xffff'ffff : ~std::uint64_t{0};
  const std::uint64_t sign = (all >> 1) + 1;
  switch (condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return ((found - wanted) & sign) == 0;  // Cyclic.
    case CU_STREAM_WAIT_VALUE_EQ:
      return (found & all) == (wanted & all);
    case CU_STREAM_WAIT_VALUE_AND:
      return (found & wanted & all) != 0;
    default:
      return (~(found | wanted) & all) != 0;
  }
}

/// Whether the next operation has to wait. One on dead memory need not: it is a fault.
bool SimDevice::held_up(Work& work) {
  if (work.kind != WorkKind::memory_ops || work.memory_op_index == work.memory_ops.size())
    return false;
  const MemoryOp& op = work.memory_ops[work.memory_op_index];
  const BlockRef here = memory.find(op.place.address);
  if (!op.waits || here.id != op.place.birth || !here.alive) return false;
  std::uint64_t found = 0;
  std::memcpy(&found, reinterpret_cast<const void*>(op.place.address), op.bytes);
  if (wait_is_over(op.condition, op.bytes, found, op.value)) return false;
  return work.was_held_up = true;
}

/// Does the next operation, which nothing holds up. Returns true when none is left.
bool SimDevice::do_memory_op(Work& work) {
  if (work.memory_op_index == work.memory_ops.size()) return true;
  const MemoryOp& op = work.memory_ops[work.memory_op_index++];
  work.bytes = op.bytes;
  if (!met(work, op.place)) return true;
  if (order->on())
    order->used(memory.installed(op.place.address), {work.at, work.before, work.site});
  if (op.waits) {
    order->passed_wait();
    if constexpr (kTsan)
      for (std::size_t i = 0; i < streams.size(); ++i) edge_acquire(&streams[i].done_edge);
  } else {
    std::memcpy(reinterpret_cast<void*>(op.place.address), &op.value, op.bytes);
  }
  return work.memory_op_index == work.memory_ops.size();
}

// ---- the calls --------------------------------------------------------------------------------

namespace calls {

/// One node for all of them; none where there is nothing to do.
static CUresult capture_memory_ops(SimDevice& sim, Stream& stream, unsigned count,
                                   CUstreamBatchMemOpParams* parameters) {
  if (count == 0) return CUDA_SUCCESS;
  const Found<const NodeParams> made =
      make_memory_op_params(sim, {stream.context->as<CUcontext>(), count, parameters, 0});
  return made ? sim.captures.add(stream, *made) : made.error();
}

static CUresult enqueue(SimDevice& sim, CUstream on, unsigned count,
                        CUstreamBatchMemOpParams* parameters) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  if (stream->capture != nullptr) return capture_memory_ops(sim, *stream, count, parameters);
  Work& work = sim.fresh_work(WorkKind::memory_ops, "memory operation");
  const CUresult status = read_memory_ops(sim, count, parameters, find_place, work.memory_ops);
  if (status != CUDA_SUCCESS || work.memory_ops.empty()) {
    sim.discard(work);
    return status;
  }
  sim.submit(*stream, work, Lag::ask);
  return sim.broken;
}

static CUresult wait_for(SimDevice& sim, CUstream on, CUstreamBatchMemOpType operation,
                         CUdeviceptr address, std::uint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams parameters{};
  parameters.waitValue.operation = operation;
  parameters.waitValue.address = address;
  parameters.waitValue.value64 = value;
  parameters.waitValue.flags = flags;
  return enqueue(sim, on, 1, &parameters);
}

static CUresult write(SimDevice& sim, CUstream on, CUstreamBatchMemOpType operation,
                      CUdeviceptr address, std::uint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams parameters{};
  parameters.writeValue.operation = operation;
  parameters.writeValue.address = address;
  parameters.writeValue.value64 = value;
  parameters.writeValue.flags = flags;
  return enqueue(sim, on, 1, &parameters);
}

CUresult Calls::cuStreamWaitValue32_v2(CUstream on, CUdeviceptr address, cuuint32_t value,
                                       unsigned flags) {
  return wait_for(sim, on, CU_STREAM_MEM_OP_WAIT_VALUE_32, address, value, flags);
}

CUresult Calls::cuStreamWaitValue64_v2(CUstream on, CUdeviceptr address, cuuint64_t value,
                                       unsigned flags) {
  return wait_for(sim, on, CU_STREAM_MEM_OP_WAIT_VALUE_64, address, value, flags);
}

CUresult Calls::cuStreamWriteValue32_v2(CUstream on, CUdeviceptr address, cuuint32_t value,
                                        unsigned flags) {
  return write(sim, on, CU_STREAM_MEM_OP_WRITE_VALUE_32, address, value, flags);
}

CUresult Calls::cuStreamWriteValue64_v2(CUstream on, CUdeviceptr address, cuuint64_t value,
                                        unsigned flags) {
  return write(sim, on, CU_STREAM_MEM_OP_WRITE_VALUE_64, address, value, flags);
}

CUresult Calls::cuStreamBatchMemOp_v2(CUstream on, unsigned count,
                                      CUstreamBatchMemOpParams* parameters, unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return enqueue(sim, on, count, parameters);
}

}  // namespace calls
}  // namespace harness::devices
