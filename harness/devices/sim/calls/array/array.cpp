// CUDA arrays: made, described, destroyed. Their memory is given out and taken back like that of
// cuMemAlloc, and may be that of an array before.
#include <algorithm>

#include "harness/devices/sim/calls/array/copy_shape.h"

namespace harness::devices::calls {

namespace {

constexpr unsigned kKnownFlags =
    CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
constexpr unsigned kOtherFlags = CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_DEPTH_TEXTURE |
                                 CUDA_ARRAY3D_COLOR_ATTACHMENT | CUDA_ARRAY3D_SPARSE |
                                 CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

/// The largest extents of an array, by the attributes that have them.
struct Limits {
  CUdevice_attribute width;
  CUdevice_attribute height;
  CUdevice_attribute depth;
};
constexpr auto kNone = static_cast<CUdevice_attribute>(0);  ///< An extent that must be 0.

#define LIMIT(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_##name
/// In one, two and three dimensions, and in layers of one and two.
constexpr Limits kTextureLimits[] = {
    {LIMIT(TEXTURE1D_WIDTH), kNone, kNone},
    {LIMIT(TEXTURE2D_WIDTH), LIMIT(TEXTURE2D_HEIGHT), kNone},
    {LIMIT(TEXTURE3D_WIDTH), LIMIT(TEXTURE3D_HEIGHT), LIMIT(TEXTURE3D_DEPTH)},
    {LIMIT(TEXTURE1D_LAYERED_WIDTH), kNone, LIMIT(TEXTURE1D_LAYERED_LAYERS)},
    {LIMIT(TEXTURE2D_LAYERED_WIDTH), LIMIT(TEXTURE2D_LAYERED_HEIGHT),
     LIMIT(TEXTURE2D_LAYERED_LAYERS)}};
constexpr Limits kSurfaceLimits[] = {
    {LIMIT(SURFACE1D_WIDTH), kNone, kNone},
    {LIMIT(SURFACE2D_WIDTH), LIMIT(SURFACE2D_HEIGHT), kNone},
    {LIMIT(SURFACE3D_WIDTH), LIMIT(SURFACE3D_HEIGHT), LIMIT(SURFACE3D_DEPTH)},
    {LIMIT(SURFACE1D_LAYERED_WIDTH), kNone, LIMIT(SURFACE1D_LAYERED_LAYERS)},
    {LIMIT(SURFACE2D_LAYERED_WIDTH), LIMIT(SURFACE2D_LAYERED_HEIGHT),
     LIMIT(SURFACE2D_LAYERED_LAYERS)}};
/// In three dimensions either these or those.
constexpr Limits kAlternateLimits{LIMIT(TEXTURE3D_WIDTH_ALTERNATE),
                                  LIMIT(TEXTURE3D_HEIGHT_ALTERNATE),
                                  LIMIT(TEXTURE3D_DEPTH_ALTERNATE)};
constexpr Limits kGatherLimits{LIMIT(TEXTURE2D_GATHER_WIDTH), LIMIT(TEXTURE2D_GATHER_HEIGHT),
                               kNone};
#undef LIMIT

/// Tells whether an extent is there exactly where it may be, and within its limit.
bool is_within(std::size_t extent, CUdevice_attribute limit) {
  if (limit == kNone) return extent == 0;
  return extent > 0 && extent <= static_cast<std::size_t>(attribute_value(limit));
}

bool are_within(const CUDA_ARRAY3D_DESCRIPTOR& wanted, const Limits& limits) {
  return is_within(wanted.Width, limits.width) && is_within(wanted.Height, limits.height) &&
         is_within(wanted.Depth, limits.depth);
}

bool are_extents(const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  const bool is_layered = (wanted.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  const std::size_t shape = is_layered           ? (wanted.Height == 0 ? 3 : 4)
                            : wanted.Depth != 0  ? 2
                            : wanted.Height != 0 ? 1
                                                 : 0;
  const bool is_solid = wanted.Depth != 0 && !is_layered;
  if (!are_within(wanted, kTextureLimits[shape]) &&
      !(is_solid && are_within(wanted, kAlternateLimits)))
    return false;
  const bool gathers = (wanted.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
  if (gathers && !are_within(wanted, kGatherLimits)) return false;
  return (wanted.Flags & CUDA_ARRAY3D_SURFACE_LDST) == 0 ||
         are_within(wanted, kSurfaceLimits[shape]);
}

CUresult check(const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  if ((wanted.Flags & ~(kKnownFlags | kOtherFlags)) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_format(wanted.Format, wanted.NumChannels); error != CUDA_SUCCESS)
    return error;
  if ((wanted.Flags & kOtherFlags) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  return are_extents(wanted) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// The texels of an array at `address`: rows and slices are one behind the other.
Texels texels_of(const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  Texels texels;
  texels.format = {wanted.Format, wanted.NumChannels};
  texels.width = wanted.Width;
  texels.height = std::max<std::size_t>(wanted.Height, 1);
  texels.depth = std::max<std::size_t>(wanted.Depth, 1);
  texels.pitch = texels.row_bytes();
  texels.slice = texels.pitch * texels.height;
  texels.is_layered = (wanted.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  return texels;
}

CUresult create(SimDevice& sim, CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check(wanted); error != CUDA_SUCCESS) return error;
  Texels texels = texels_of(wanted);
  const std::uint32_t index =
      give_out(sim, Origin::array, extent_bytes(texels.depth, texels.slice, 0));
  if (index == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  Block& block = sim.memory().block(index);
  block.context = sim.threads().context();
  texels.birth = block.birth;
  texels.address = block.base;
  Array& array = sim.handles().arrays.add();
  array.context = block.context;
  array.birth = block.birth;
  array.block = index;
  array.descriptor = wanted;
  array.texels = texels;
  *handle = array.as<CUarray>();
  return CUDA_SUCCESS;
}

}  // namespace

CUresult check_format(CUarray_format channel, unsigned channel_count) {
  const TexelFormat format{channel, channel_count};
  if (format.is_known()) return CUDA_SUCCESS;
  const auto number = static_cast<unsigned>(channel);
  const bool is_other =
      number == CU_AD_FORMAT_UNORM_INT_101010_2 ||
      (number >= CU_AD_FORMAT_BC1_UNORM && number <= CU_AD_FORMAT_YUV444_16bit_SemiPlanar) ||
      (number >= CU_AD_FORMAT_UNORM_INT8X1 && number <= CU_AD_FORMAT_SNORM_INT16X4);
  return is_other ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

CUresult Calls::cuArrayCreate_v2(CUarray* handle, const CUDA_ARRAY_DESCRIPTOR* wanted) {
  if (wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return create(sim, handle,
                {wanted->Width, wanted->Height, 0, wanted->Format, wanted->NumChannels, 0});
}

CUresult Calls::cuArray3DCreate_v2(CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR* wanted) {
  return wanted != nullptr ? create(sim, handle, *wanted) : CUDA_ERROR_INVALID_VALUE;
}

/// The error of asking an array that has ended, by itself or with its context.
static CUresult why_none(SimDevice& sim, CUarray handle) {
  const Array* known = sim.handles().arrays.find(handle);
  return known != nullptr && !known->context->alive ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                    : CUDA_ERROR_INVALID_HANDLE;
}

CUresult Calls::cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray handle) {
  if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Array* array = sim.find(sim.handles().arrays, handle, kArrayKind);
  if (array == nullptr) return why_none(sim, handle);
  const CUDA_ARRAY3D_DESCRIPTOR& given = array->descriptor;
  *descriptor = {given.Width, given.Height, given.Format, given.NumChannels};
  return CUDA_SUCCESS;
}

CUresult Calls::cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray handle) {
  if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Array* array = sim.find(sim.handles().arrays, handle, kArrayKind);
  if (array == nullptr) return why_none(sim, handle);
  *descriptor = array->descriptor;
  return CUDA_SUCCESS;
}

CUresult Calls::cuArrayDestroy(CUarray handle) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  Array* array = sim.handles().arrays.find(handle);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!array->alive) {
    sim.ledger().double_free(array->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  array->alive = false;  // From here on nobody else may destroy it, though we may have to wait.
  may_wait(sim, *array->context);
  if (sim.memory().block(array->block).dead) return CUDA_SUCCESS;  // With its context, meanwhile.
  free_now(sim, array->block);
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
