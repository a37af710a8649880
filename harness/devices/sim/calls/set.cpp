// SPDX-License-Identifier: Apache-2.0
// Sets of one row of values or of several rows. The call looks up the blocks that its pointers
// refer to, and notes them in the work.
#include <algorithm>

#include "harness/devices/sim/calls/array/copy_shape.h"
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices::calls {

namespace {

struct SetRequest {
  std::uint64_t address;
  std::uint32_t value;
  std::uint32_t width;  ///< Bytes in a value.
  std::uint64_t count;  ///< Number of values in a row.
  std::uint64_t height = 1;
  std::uint64_t pitch = 0;  ///< Distance between rows in bytes, if there are several.
  bool is_async = false;

  std::uint64_t row_bytes() const {
    return std::min(count, Memory::kBytes) * width;  // No block is larger.
  }
  bool is_valid() const {
    if (address % width != 0) return false;
    return height <= 1 || count == 0 || (pitch % width == 0 && pitch >= row_bytes());
  }
};

CUresult capture_set(SimDevice& sim, Stream& stream, const SetRequest& request) {
  CUDA_MEMSET_NODE_PARAMS given{};
  given.dst = request.address;
  given.pitch = request.pitch;
  given.value = request.value;
  given.elementSize = request.width;
  given.width = request.count;
  given.height = request.height;
  const Found<const NodeParams> made = make_set_params(sim, given, stream.context->as<CUcontext>());
  return made ? sim.captures().add(stream, *made) : made.error();
}

CUresult submit_set(SimDevice& sim, Stream& stream, const SetRequest& request,
                    const Place& target) {
  const Block& block = sim.memory().block(sim.memory().newest(request.address));
  const bool waits = !request.is_async && HostMemory::is_visible(block);
  Work& work = sim.queues().fresh(WorkKind::set, "set");
  work.target = target;
  work.source = {};
  work.bytes = request.row_bytes();
  work.rows.height = request.height;
  work.rows.target_pitch = request.pitch;
  work.value = request.value;
  work.width = request.width;
  sim.queues().submit(stream, work, waits ? Lag::never : Lag::ask);
  if (waits) sim.queues().drain(stream);
  return sim.faults().broken();
}

CUresult set(SimDevice& sim, CUstream on, const SetRequest& request) {
  const Found<Stream> stream = find_copy_stream(sim, on, request.is_async);
  if (!stream) return stream.error();
  if (!request.is_valid()) return CUDA_ERROR_INVALID_VALUE;
  if (request.count == 0 || request.height == 0) return CUDA_SUCCESS;
  const std::uint64_t bytes = extent_bytes(request.height - 1, request.pitch, request.row_bytes());
  Place target;
  const auto find = stream->capture != nullptr ? find_node_place : find_place;
  if (const CUresult status = find(sim, request.address, bytes, false, target);
      status != CUDA_SUCCESS)
    return status;
  return stream->capture != nullptr ? capture_set(sim, *stream, request)
                                    : submit_set(sim, *stream, request, target);
}

}  // namespace

// ---- one row ------------------------------------------------------------------------------------

CUresult Calls::cuMemsetD8_v2(CUdeviceptr target, unsigned char value, size_t count) {
  return set(sim, nullptr, {target, value, 1, count});
}
CUresult Calls::cuMemsetD8_v2_ptds(CUdeviceptr target, unsigned char value, size_t count) {
  return set(sim, CU_STREAM_PER_THREAD, {target, value, 1, count});
}
CUresult Calls::cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count,
                                CUstream on) {
  return set(sim, on, {target, value, 1, count, 1, 0, true});
}

CUresult Calls::cuMemsetD16_v2(CUdeviceptr target, unsigned short value, size_t count) {
  return set(sim, nullptr, {target, value, 2, count});
}
CUresult Calls::cuMemsetD16_v2_ptds(CUdeviceptr target, unsigned short value, size_t count) {
  return set(sim, CU_STREAM_PER_THREAD, {target, value, 2, count});
}
CUresult Calls::cuMemsetD16Async(CUdeviceptr target, unsigned short value, size_t count,
                                 CUstream on) {
  return set(sim, on, {target, value, 2, count, 1, 0, true});
}

CUresult Calls::cuMemsetD32_v2(CUdeviceptr target, unsigned value, size_t count) {
  return set(sim, nullptr, {target, value, 4, count});
}
CUresult Calls::cuMemsetD32_v2_ptds(CUdeviceptr target, unsigned value, size_t count) {
  return set(sim, CU_STREAM_PER_THREAD, {target, value, 4, count});
}
CUresult Calls::cuMemsetD32Async(CUdeviceptr target, unsigned value, size_t count, CUstream on) {
  return set(sim, on, {target, value, 4, count, 1, 0, true});
}

// ---- rows ---------------------------------------------------------------------------------------

CUresult Calls::cuMemsetD2D8_v2(CUdeviceptr target, size_t pitch, unsigned char value, size_t width,
                                size_t height) {
  return set(sim, nullptr, {target, value, 1, width, height, pitch});
}
CUresult Calls::cuMemsetD2D8_v2_ptds(CUdeviceptr target, size_t pitch, unsigned char value,
                                     size_t width, size_t height) {
  return set(sim, CU_STREAM_PER_THREAD, {target, value, 1, width, height, pitch});
}
CUresult Calls::cuMemsetD2D8Async(CUdeviceptr target, size_t pitch, unsigned char value,
                                  size_t width, size_t height, CUstream on) {
  return set(sim, on, {target, value, 1, width, height, pitch, true});
}

CUresult Calls::cuMemsetD2D16_v2(CUdeviceptr target, size_t pitch, unsigned short value,
                                 size_t width, size_t height) {
  return set(sim, nullptr, {target, value, 2, width, height, pitch});
}
CUresult Calls::cuMemsetD2D16_v2_ptds(CUdeviceptr target, size_t pitch, unsigned short value,
                                      size_t width, size_t height) {
  return set(sim, CU_STREAM_PER_THREAD, {target, value, 2, width, height, pitch});
}
CUresult Calls::cuMemsetD2D16Async(CUdeviceptr target, size_t pitch, unsigned short value,
                                   size_t width, size_t height, CUstream on) {
  return set(sim, on, {target, value, 2, width, height, pitch, true});
}

CUresult Calls::cuMemsetD2D32_v2(CUdeviceptr target, size_t pitch, unsigned value, size_t width,
                                 size_t height) {
  return set(sim, nullptr, {target, value, 4, width, height, pitch});
}
CUresult Calls::cuMemsetD2D32_v2_ptds(CUdeviceptr target, size_t pitch, unsigned value,
                                      size_t width, size_t height) {
  return set(sim, CU_STREAM_PER_THREAD, {target, value, 4, width, height, pitch});
}
CUresult Calls::cuMemsetD2D32Async(CUdeviceptr target, size_t pitch, unsigned value, size_t width,
                                   size_t height, CUstream on) {
  return set(sim, on, {target, value, 4, width, height, pitch, true});
}

}  // namespace harness::devices::calls
