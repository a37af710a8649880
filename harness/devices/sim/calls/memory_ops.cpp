// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: the calls that enqueue them.
#include "harness/devices/sim/memory/ops.h"

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices::calls {

/// A batch becomes one node, even if it is empty.
static CUresult capture_memory_ops(SimDevice& sim, Stream& stream, unsigned count,
                                   CUstreamBatchMemOpParams* parameters) {
  const Found<const NodeParams> made =
      make_memory_op_params(sim, {stream.context->as<CUcontext>(), count, parameters, 0});
  return made ? sim.captures().add(stream, *made) : made.error();
}

static CUresult enqueue(SimDevice& sim, CUstream on, unsigned count,
                        CUstreamBatchMemOpParams* parameters) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  if (stream->capture != nullptr) return capture_memory_ops(sim, *stream, count, parameters);
  Work& work = sim.queues().fresh(WorkKind::memory_ops, "memory operation");
  const CUresult status = read_memory_ops(sim, count, parameters, find_place, work.memory_ops);
  if (status != CUDA_SUCCESS || work.memory_ops.empty()) {
    sim.queues().discard(work);
    return status;
  }
  sim.queues().submit(*stream, work, Lag::ask);
  return sim.faults().broken();
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

}  // namespace harness::devices::calls
