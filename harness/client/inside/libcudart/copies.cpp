// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcudart/copies.h"

#include <algorithm>

#include "harness/client/inside/libcudart/call.h"

namespace harness::cudart {
namespace {

bool is_kind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

/// Returns the kind of memory of a copy's source.
CUmemorytype source_type(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  return kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice ? CU_MEMORYTYPE_HOST
                                                                        : CU_MEMORYTYPE_DEVICE;
}
CUmemorytype target_type(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  return kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost ? CU_MEMORYTYPE_HOST
                                                                        : CU_MEMORYTYPE_DEVICE;
}

template <class Copy>
void set_source(Copy& copy, const CopySide& side, cudaMemcpyKind kind) {
  copy.srcXInBytes = side.x_bytes;
  copy.srcY = side.y;
  copy.srcPitch = side.pitch;
  copy.srcArray = reinterpret_cast<CUarray>(side.from_array);
  copy.srcMemoryType = side.from_array != nullptr ? CU_MEMORYTYPE_ARRAY : source_type(kind);
  copy.srcHost = side.pointer;
  copy.srcDevice = address_of(side.pointer);
}

template <class Copy>
void set_target(Copy& copy, const CopySide& side, cudaMemcpyKind kind) {
  copy.dstXInBytes = side.x_bytes;
  copy.dstY = side.y;
  copy.dstPitch = side.pitch;
  copy.dstArray = reinterpret_cast<CUarray>(side.from_array);
  copy.dstMemoryType = side.from_array != nullptr ? CU_MEMORYTYPE_ARRAY : target_type(kind);
  copy.dstHost = const_cast<void*>(side.pointer);
  copy.dstDevice = address_of(side.pointer);
}

bool has_pitch(const CopySide& side, CopySize size) {
  return side.from_array != nullptr || size.height <= 1 || side.pitch >= size.width_bytes;
}

cudaError_t describe(const CopySide& target, const CopySide& source, CopySize size,
                     cudaMemcpyKind kind, CUDA_MEMCPY2D& copy) {
  if (!is_kind(kind)) return cudaErrorInvalidMemcpyDirection;
  if (!has_pitch(target, size) || !has_pitch(source, size)) return cudaErrorInvalidPitchValue;
  set_source(copy, source, kind);
  set_target(copy, target, kind);
  copy.WidthInBytes = size.width_bytes;
  copy.Height = size.height;
  return cudaSuccess;
}

}  // namespace

cudaError_t copy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                 DefaultStream on) {
  const bool is_legacy = on == DefaultStream::legacy;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return error_of((is_legacy ? driver.cuMemcpyHtoD_v2 : driver.cuMemcpyHtoD_v2_ptds)(
          address_of(target), source, bytes));
    case cudaMemcpyDeviceToHost:
      return error_of((is_legacy ? driver.cuMemcpyDtoH_v2 : driver.cuMemcpyDtoH_v2_ptds)(
          target, address_of(source), bytes));
    case cudaMemcpyDeviceToDevice:
      return error_of((is_legacy ? driver.cuMemcpyDtoD_v2 : driver.cuMemcpyDtoD_v2_ptds)(
          address_of(target), address_of(source), bytes));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return error_of((is_legacy ? driver.cuMemcpy : driver.cuMemcpy_ptds)(
          address_of(target), address_of(source), bytes));
  }
  return cudaErrorInvalidMemcpyDirection;
}

cudaError_t copy_async(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return error_of(driver.cuMemcpyHtoDAsync_v2(address_of(target), source, bytes, stream));
    case cudaMemcpyDeviceToHost:
      return error_of(driver.cuMemcpyDtoHAsync_v2(target, address_of(source), bytes, stream));
    case cudaMemcpyDeviceToDevice:
      return error_of(
          driver.cuMemcpyDtoDAsync_v2(address_of(target), address_of(source), bytes, stream));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return error_of(driver.cuMemcpyAsync(address_of(target), address_of(source), bytes, stream));
  }
  return cudaErrorInvalidMemcpyDirection;
}

cudaError_t copy_rows(const CopySide& target, const CopySide& source, CopySize size,
                      cudaMemcpyKind kind, DefaultStream on) {
  CUDA_MEMCPY2D copy{};
  if (const cudaError_t error = describe(target, source, size, kind, copy)) return error;
  return error_of((on == DefaultStream::legacy ? driver.cuMemcpy2DUnaligned_v2
                                               : driver.cuMemcpy2DUnaligned_v2_ptds)(&copy));
}

cudaError_t copy_rows_async(const CopySide& target, const CopySide& source, CopySize size,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  CUDA_MEMCPY2D copy{};
  if (const cudaError_t error = describe(target, source, size, kind, copy)) return error;
  return error_of(driver.cuMemcpy2DAsync_v2(&copy, stream));
}

cudaError_t element_bytes(cudaArray_const_t array, std::size_t& bytes) {
  CUDA_ARRAY3D_DESCRIPTOR found{};
  if (const CUresult error = driver.cuArray3DGetDescriptor_v2(
          &found, reinterpret_cast<CUarray>(const_cast<cudaArray_t>(array))))
    return error_of(error);
  const bool is_byte =
      found.Format == CU_AD_FORMAT_UNSIGNED_INT8 || found.Format == CU_AD_FORMAT_SIGNED_INT8;
  const bool is_word = found.Format == CU_AD_FORMAT_UNSIGNED_INT32 ||
                       found.Format == CU_AD_FORMAT_SIGNED_INT32 ||
                       found.Format == CU_AD_FORMAT_FLOAT;
  bytes = found.NumChannels * std::size_t{is_byte ? 1U : is_word ? 4U : 2U};
  return cudaSuccess;
}

namespace {

/// Returns the number of bytes of a position's unit, which is an element for arrays.
cudaError_t unit_bytes(cudaArray_t array, std::size_t& bytes) {
  bytes = 1;
  return array != nullptr ? element_bytes(array, bytes) : cudaSuccess;
}

cudaError_t check(const cudaMemcpy3DParms& copy) {
  if (!is_kind(copy.kind)) return cudaErrorInvalidMemcpyDirection;
  const bool has_one_source = (copy.srcArray != nullptr) != (copy.srcPtr.ptr != nullptr);
  const bool has_one_target = (copy.dstArray != nullptr) != (copy.dstPtr.ptr != nullptr);
  return has_one_source && has_one_target ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t to_driver(const cudaMemcpy3DParms& from, CUDA_MEMCPY3D& to) {
  if (const cudaError_t error = check(from)) return error;
  std::size_t source_unit = 1;
  std::size_t target_unit = 1;
  if (const cudaError_t error = unit_bytes(from.srcArray, source_unit)) return error;
  if (const cudaError_t error = unit_bytes(from.dstArray, target_unit)) return error;
  if (from.srcArray != nullptr && from.dstArray != nullptr && source_unit != target_unit)
    return cudaErrorInvalidValue;
  to = {};
  set_source(to,
             {from.srcPtr.ptr, from.srcPtr.pitch, from.srcArray, from.srcPos.x * source_unit,
              from.srcPos.y},
             from.kind);
  set_target(to,
             {from.dstPtr.ptr, from.dstPtr.pitch, from.dstArray, from.dstPos.x * target_unit,
              from.dstPos.y},
             from.kind);
  to.srcZ = from.srcPos.z;
  to.dstZ = from.dstPos.z;
  to.srcHeight = from.srcPtr.ysize;
  to.dstHeight = from.dstPtr.ysize;
  to.WidthInBytes = from.extent.width * std::max(source_unit, target_unit);
  to.Height = from.extent.height;
  to.Depth = from.extent.depth;
  return cudaSuccess;
}

static cudaMemcpyKind kind_of(const CUDA_MEMCPY3D& copy) {
  if (copy.srcMemoryType == CU_MEMORYTYPE_UNIFIED || copy.dstMemoryType == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  const bool from_host = copy.srcMemoryType == CU_MEMORYTYPE_HOST;
  const bool to_host = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
  return from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                   : (to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
}

cudaError_t from_driver(const CUDA_MEMCPY3D& from, cudaMemcpy3DParms& to) {
  to = {};
  if (from.srcMemoryType == CU_MEMORYTYPE_ARRAY)
    to.srcArray = reinterpret_cast<cudaArray_t>(from.srcArray);
  if (from.dstMemoryType == CU_MEMORYTYPE_ARRAY)
    to.dstArray = reinterpret_cast<cudaArray_t>(from.dstArray);
  std::size_t source_unit = 1;
  std::size_t target_unit = 1;
  if (const cudaError_t error = unit_bytes(to.srcArray, source_unit)) return error;
  if (const cudaError_t error = unit_bytes(to.dstArray, target_unit)) return error;
  if (to.srcArray == nullptr)
    to.srcPtr = {from.srcMemoryType == CU_MEMORYTYPE_HOST ? const_cast<void*>(from.srcHost)
                                                          : reinterpret_cast<void*>(from.srcDevice),
                 from.srcPitch, from.WidthInBytes, from.srcHeight};
  if (to.dstArray == nullptr)
    to.dstPtr = {from.dstMemoryType == CU_MEMORYTYPE_HOST ? from.dstHost
                                                          : reinterpret_cast<void*>(from.dstDevice),
                 from.dstPitch, from.WidthInBytes, from.dstHeight};
  to.srcPos = {from.srcXInBytes / source_unit, from.srcY, from.srcZ};
  to.dstPos = {from.dstXInBytes / target_unit, from.dstY, from.dstZ};
  to.extent = {from.WidthInBytes / std::max(source_unit, target_unit), from.Height, from.Depth};
  to.kind = kind_of(from);
  return cudaSuccess;
}

cudaMemcpy3DParms one_row(void* target, const void* source, std::size_t bytes,
                          cudaMemcpyKind kind) {
  cudaMemcpy3DParms row{};
  row.srcPtr = {const_cast<void*>(source), bytes, bytes, 1};
  row.dstPtr = {target, bytes, bytes, 1};
  row.extent = {bytes, 1, 1};
  row.kind = kind;
  return row;
}

}  // namespace harness::cudart
