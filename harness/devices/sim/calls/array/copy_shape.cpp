// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/calls/array/copy_shape.h"

namespace harness::devices::calls {

namespace {

/// One side of a CUDA_MEMCPY3D; an array fills in the pitch and height of its rows.
struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t x, y, z, pitch, height;
};

CUresult find_memory(SimDevice& sim, const CUDA_MEMCPY3D& copy, FindPlace find, const Side& side,
                     Place& place) {
  const bool many_rows = copy.Height > 1 || copy.Depth > 1;
  const std::uint64_t row = extent_bytes(1, side.x, copy.WidthInBytes);
  if (many_rows && side.pitch < row) return CUDA_ERROR_INVALID_VALUE;
  if (copy.Depth > 1 && side.height < copy.Height) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t base =
      side.type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uint64_t>(side.host) : side.device;
  const std::uint64_t offset =
      extent_bytes(extent_bytes(side.z, side.height, side.y), side.pitch, side.x);
  const std::uint64_t rows = extent_bytes(copy.Depth - 1, side.height, copy.Height - 1);
  const std::uint64_t bytes = extent_bytes(rows, side.pitch, copy.WidthInBytes);
  if (__builtin_add_overflow(base, offset, &place.address)) return CUDA_ERROR_INVALID_VALUE;
  return find(sim, place.address, bytes, side.type != CU_MEMORYTYPE_DEVICE, place);
}

/// Returns whether [first, first + count) is within [0, all).
bool fits(std::size_t first, std::size_t count, std::uint64_t all) {
  return count <= all && first <= all - count;
}

/// The array itself says where its rows are. The documentation asks for whole elements, but the
/// driver does not check that: bytes are copied.
CUresult find_texels(SimDevice& sim, const CUDA_MEMCPY3D& copy, Side& side, Place& place) {
  const Array* array = sim.find(sim.handles().arrays, side.array, kArrayKind);
  if (array == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Texels& texels = array->texels;
  if (!fits(side.x, copy.WidthInBytes, texels.row_bytes()) ||
      !fits(side.y, copy.Height, texels.height) || !fits(side.z, copy.Depth, texels.depth))
    return CUDA_ERROR_INVALID_VALUE;
  side.pitch = texels.pitch;
  side.height = texels.height;
  place = {texels.at(0, side.y, side.z) + side.x, texels.birth};
  return CUDA_SUCCESS;
}

CUresult find_side(SimDevice& sim, const CUDA_MEMCPY3D& copy, FindPlace find, Side& side,
                   Place& place) {
  if (side.type < CU_MEMORYTYPE_HOST || side.type > CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  return side.type == CU_MEMORYTYPE_ARRAY ? find_texels(sim, copy, side, place)
                                          : find_memory(sim, copy, find, side, place);
}

}  // namespace

std::uint64_t extent_bytes(std::uint64_t rows, std::uint64_t pitch, std::uint64_t bytes) {
  std::uint64_t product = 0;
  std::uint64_t sum = 0;
  const bool overflow =
      __builtin_mul_overflow(rows, pitch, &product) || __builtin_add_overflow(product, bytes, &sum);
  return overflow ? ~std::uint64_t{0} : sum;
}

CUresult find_copy(SimDevice& sim, const CUDA_MEMCPY3D& given, FindPlace find, CopyShape& shape) {
  Side target{given.dstMemoryType, given.dstHost,     given.dstDevice,
              given.dstArray,      given.dstXInBytes, given.dstY,
              given.dstZ,          given.dstPitch,    given.dstHeight};
  Side source{given.srcMemoryType, given.srcHost,     given.srcDevice,
              given.srcArray,      given.srcXInBytes, given.srcY,
              given.srcZ,          given.srcPitch,    given.srcHeight};
  CUresult status = find_side(sim, given, find, target, shape.target);
  if (status == CUDA_SUCCESS) status = find_side(sim, given, find, source, shape.source);
  if (status != CUDA_SUCCESS) return status;
  shape.bytes = given.WidthInBytes;
  shape.rows = {given.Height, given.Depth,
                target.pitch, target.pitch * target.height,
                source.pitch, source.pitch * source.height};
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
