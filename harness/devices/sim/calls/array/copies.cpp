// SPDX-License-Identifier: Apache-2.0
// Copies of rows, slices and arrays. All of them are made as a copy in three dimensions.
#include "harness/devices/sim/calls/array/copy_shape.h"
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices::calls {

namespace {

/// A pitch that is used must not exceed the device's largest pitch.
bool is_pitch(CUmemorytype type, std::size_t pitch) {
  return type == CU_MEMORYTYPE_ARRAY ||
         pitch <= static_cast<std::size_t>(attribute_value(CU_DEVICE_ATTRIBUTE_MAX_PITCH));
}

CUresult copy(SimDevice& sim, CUstream on, const CUDA_MEMCPY3D& given, bool is_async) {
  const Found<Stream> stream = find_copy_stream(sim, on, is_async);
  if (!stream) return stream.error();
  if (given.srcLOD != 0 || given.dstLOD != 0 || given.reserved0 != nullptr ||
      given.reserved1 != nullptr || !is_pitch(given.srcMemoryType, given.srcPitch) ||
      !is_pitch(given.dstMemoryType, given.dstPitch))
    return CUDA_ERROR_INVALID_VALUE;
  if (given.WidthInBytes == 0 || given.Height == 0 || given.Depth == 0) return CUDA_SUCCESS;
  if (stream->capture != nullptr) return capture_copy(sim, *stream, given);
  CopyShape shape;
  const CUresult status = find_copy(sim, given, find_place, shape);
  if (status != CUDA_SUCCESS) return status;
  return submit_copy(sim, *stream, shape,
                     {is_async, given.dstMemoryType == CU_MEMORYTYPE_HOST,
                      given.srcMemoryType == CU_MEMORYTYPE_HOST});
}

CUresult copy(SimDevice& sim, CUstream on, const CUDA_MEMCPY3D* given, bool is_async) {
  return given != nullptr ? copy(sim, on, *given, is_async) : CUDA_ERROR_INVALID_VALUE;
}

CUresult copy(SimDevice& sim, CUstream on, const CUDA_MEMCPY2D* given, bool is_async) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D whole{};
  whole.srcXInBytes = given->srcXInBytes;
  whole.srcY = given->srcY;
  whole.srcMemoryType = given->srcMemoryType;
  whole.srcHost = given->srcHost;
  whole.srcDevice = given->srcDevice;
  whole.srcArray = given->srcArray;
  whole.srcPitch = given->srcPitch;
  whole.dstXInBytes = given->dstXInBytes;
  whole.dstY = given->dstY;
  whole.dstMemoryType = given->dstMemoryType;
  whole.dstHost = given->dstHost;
  whole.dstDevice = given->dstDevice;
  whole.dstArray = given->dstArray;
  whole.dstPitch = given->dstPitch;
  whole.WidthInBytes = given->WidthInBytes;
  whole.Height = given->Height;
  whole.Depth = 1;
  return copy(sim, on, whole, is_async);
}

/// One side of a copy of a single row.
struct Row {
  CUmemorytype type;
  void* host = nullptr;
  CUdeviceptr device = 0;
  CUarray array = nullptr;
  std::size_t offset = 0;
};

Row row_of(CUarray array, std::size_t offset) {
  return {CU_MEMORYTYPE_ARRAY, nullptr, 0, array, offset};
}
Row row_of(const void* host) { return {CU_MEMORYTYPE_HOST, const_cast<void*>(host)}; }
Row row_of(CUdeviceptr device) { return {CU_MEMORYTYPE_DEVICE, nullptr, device}; }

CUresult copy_row(SimDevice& sim, CUstream on, const Row& target, const Row& source,
                  std::size_t bytes, bool is_async = false) {
  CUDA_MEMCPY3D given{};
  given.srcMemoryType = source.type;
  given.srcHost = source.host;
  given.srcDevice = source.device;
  given.srcArray = source.array;
  given.srcXInBytes = source.offset;
  given.dstMemoryType = target.type;
  given.dstHost = target.host;
  given.dstDevice = target.device;
  given.dstArray = target.array;
  given.dstXInBytes = target.offset;
  given.WidthInBytes = bytes;
  given.Height = given.Depth = 1;
  return copy(sim, on, given, is_async);
}

}  // namespace

// ---- one row ----------------------------------------------------------------------------------

CUresult Calls::cuMemcpyAtoH_v2(void* target, CUarray source, size_t offset, size_t bytes) {
  return copy_row(sim, nullptr, row_of(target), row_of(source, offset), bytes);
}
CUresult Calls::cuMemcpyAtoH_v2_ptds(void* target, CUarray source, size_t offset, size_t bytes) {
  return copy_row(sim, CU_STREAM_PER_THREAD, row_of(target), row_of(source, offset), bytes);
}
CUresult Calls::cuMemcpyAtoHAsync_v2(void* target, CUarray source, size_t offset, size_t bytes,
                                     CUstream on) {
  return copy_row(sim, on, row_of(target), row_of(source, offset), bytes, true);
}

CUresult Calls::cuMemcpyHtoA_v2(CUarray target, size_t offset, const void* source, size_t bytes) {
  return copy_row(sim, nullptr, row_of(target, offset), row_of(source), bytes);
}
CUresult Calls::cuMemcpyHtoA_v2_ptds(CUarray target, size_t offset, const void* source,
                                     size_t bytes) {
  return copy_row(sim, CU_STREAM_PER_THREAD, row_of(target, offset), row_of(source), bytes);
}
CUresult Calls::cuMemcpyHtoAAsync_v2(CUarray target, size_t offset, const void* source,
                                     size_t bytes, CUstream on) {
  return copy_row(sim, on, row_of(target, offset), row_of(source), bytes, true);
}

CUresult Calls::cuMemcpyAtoD_v2(CUdeviceptr target, CUarray source, size_t offset, size_t bytes) {
  return copy_row(sim, nullptr, row_of(target), row_of(source, offset), bytes);
}
CUresult Calls::cuMemcpyAtoD_v2_ptds(CUdeviceptr target, CUarray source, size_t offset,
                                     size_t bytes) {
  return copy_row(sim, CU_STREAM_PER_THREAD, row_of(target), row_of(source, offset), bytes);
}

CUresult Calls::cuMemcpyDtoA_v2(CUarray target, size_t offset, CUdeviceptr source, size_t bytes) {
  return copy_row(sim, nullptr, row_of(target, offset), row_of(source), bytes);
}
CUresult Calls::cuMemcpyDtoA_v2_ptds(CUarray target, size_t offset, CUdeviceptr source,
                                     size_t bytes) {
  return copy_row(sim, CU_STREAM_PER_THREAD, row_of(target, offset), row_of(source), bytes);
}

CUresult Calls::cuMemcpyAtoA_v2(CUarray target, size_t target_offset, CUarray source,
                                size_t source_offset, size_t bytes) {
  return copy_row(sim, nullptr, row_of(target, target_offset), row_of(source, source_offset),
                  bytes);
}
CUresult Calls::cuMemcpyAtoA_v2_ptds(CUarray target, size_t target_offset, CUarray source,
                                     size_t source_offset, size_t bytes) {
  return copy_row(sim, CU_STREAM_PER_THREAD, row_of(target, target_offset),
                  row_of(source, source_offset), bytes);
}

// ---- rows and slices --------------------------------------------------------------------------

CUresult Calls::cuMemcpy2D_v2(const CUDA_MEMCPY2D* given) {
  return copy(sim, nullptr, given, false);
}
CUresult Calls::cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D* given) {
  return copy(sim, CU_STREAM_PER_THREAD, given, false);
}
CUresult Calls::cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* given) {
  return copy(sim, nullptr, given, false);
}
CUresult Calls::cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D* given) {
  return copy(sim, CU_STREAM_PER_THREAD, given, false);
}
CUresult Calls::cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* given, CUstream on) {
  return copy(sim, on, given, true);
}

CUresult Calls::cuMemcpy3D_v2(const CUDA_MEMCPY3D* given) {
  return copy(sim, nullptr, given, false);
}
CUresult Calls::cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D* given) {
  return copy(sim, CU_STREAM_PER_THREAD, given, false);
}
CUresult Calls::cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* given, CUstream on) {
  return copy(sim, on, given, true);
}

}  // namespace harness::devices::calls
