// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/calls/array/array_shape.h"

#include <algorithm>
#include <bit>

#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

namespace {

constexpr unsigned kKnownFlags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP |
                                 CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
constexpr unsigned kOtherFlags = CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT |
                                 CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING |
                                 CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

/// The attributes that hold the largest extents of an array.
struct Limits {
  CUdevice_attribute width;
  CUdevice_attribute height;
  CUdevice_attribute depth;
};
constexpr auto kNone = static_cast<CUdevice_attribute>(0);  ///< An extent that must be 0.
constexpr auto kAny = CU_DEVICE_ATTRIBUTE_MAX;              ///< An extent that is checked
                                                            ///< elsewhere.

#define LIMIT(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_##name
/// For one, two and three dimensions, layers of one and two dimensions, cubes and layers of cubes.
constexpr Limits kTextureLimits[] = {
    {LIMIT(TEXTURE1D_WIDTH), kNone, kNone},
    {LIMIT(TEXTURE2D_WIDTH), LIMIT(TEXTURE2D_HEIGHT), kNone},
    {LIMIT(TEXTURE3D_WIDTH), LIMIT(TEXTURE3D_HEIGHT), LIMIT(TEXTURE3D_DEPTH)},
    {LIMIT(TEXTURE1D_LAYERED_WIDTH), kNone, LIMIT(TEXTURE1D_LAYERED_LAYERS)},
    {LIMIT(TEXTURE2D_LAYERED_WIDTH), LIMIT(TEXTURE2D_LAYERED_HEIGHT),
     LIMIT(TEXTURE2D_LAYERED_LAYERS)},
    {LIMIT(TEXTURECUBEMAP_WIDTH), LIMIT(TEXTURECUBEMAP_WIDTH), kAny},
    {LIMIT(TEXTURECUBEMAP_LAYERED_WIDTH), LIMIT(TEXTURECUBEMAP_LAYERED_WIDTH),
     LIMIT(TEXTURECUBEMAP_LAYERED_LAYERS)}};
constexpr Limits kSurfaceLimits[] = {
    {LIMIT(SURFACE1D_WIDTH), kNone, kNone},
    {LIMIT(SURFACE2D_WIDTH), LIMIT(SURFACE2D_HEIGHT), kNone},
    {LIMIT(SURFACE3D_WIDTH), LIMIT(SURFACE3D_HEIGHT), LIMIT(SURFACE3D_DEPTH)},
    {LIMIT(SURFACE1D_LAYERED_WIDTH), kNone, LIMIT(SURFACE1D_LAYERED_LAYERS)},
    {LIMIT(SURFACE2D_LAYERED_WIDTH), LIMIT(SURFACE2D_LAYERED_HEIGHT),
     LIMIT(SURFACE2D_LAYERED_LAYERS)},
    {LIMIT(SURFACECUBEMAP_WIDTH), LIMIT(SURFACECUBEMAP_WIDTH), kAny},
    {LIMIT(SURFACECUBEMAP_LAYERED_WIDTH), LIMIT(SURFACECUBEMAP_LAYERED_WIDTH),
     LIMIT(SURFACECUBEMAP_LAYERED_LAYERS)}};
/// In three dimensions, either these limits or those above must be met.
constexpr Limits kAlternateLimits{LIMIT(TEXTURE3D_WIDTH_ALTERNATE),
                                  LIMIT(TEXTURE3D_HEIGHT_ALTERNATE),
                                  LIMIT(TEXTURE3D_DEPTH_ALTERNATE)};
constexpr Limits kGatherLimits{LIMIT(TEXTURE2D_GATHER_WIDTH), LIMIT(TEXTURE2D_GATHER_HEIGHT),
                               kNone};
/// For one and two dimensions, without layers and faces.
constexpr Limits kMipmappedLimits[] = {
    {LIMIT(TEXTURE1D_MIPMAPPED_WIDTH), kNone, kNone},
    {LIMIT(TEXTURE2D_MIPMAPPED_WIDTH), LIMIT(TEXTURE2D_MIPMAPPED_HEIGHT), kNone}};
#undef LIMIT

/// Returns whether an extent is 0 if it must be, and within its limit if not.
bool is_within(std::size_t extent, CUdevice_attribute limit) {
  if (limit == kNone) return extent == 0;
  if (limit == kAny) return true;
  return extent > 0 && extent <= static_cast<std::size_t>(attribute_value(limit));
}

bool are_within(const CUDA_ARRAY3D_DESCRIPTOR& wanted, const Limits& limits) {
  return is_within(wanted.Width, limits.width) && is_within(wanted.Height, limits.height) &&
         is_within(wanted.Depth, limits.depth);
}

/// Returns whether the extents are those of a cube: square, with six faces, or six in each layer.
bool is_cube(const CUDA_ARRAY3D_DESCRIPTOR& wanted, bool is_layered) {
  return wanted.Width == wanted.Height && wanted.Depth % 6 == 0 &&
         (is_layered ? wanted.Depth != 0 : wanted.Depth == 6);
}

bool are_extents(const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  const bool is_layered = (wanted.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  const bool has_faces = (wanted.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  if (has_faces && !is_cube(wanted, is_layered)) return false;
  const std::size_t shape = has_faces            ? (is_layered ? 6 : 5)
                            : is_layered         ? (wanted.Height == 0 ? 3 : 4)
                            : wanted.Depth != 0  ? 2
                            : wanted.Height != 0 ? 1
                                                 : 0;
  const bool is_solid = wanted.Depth != 0 && !is_layered && !has_faces;
  if (!are_within(wanted, kTextureLimits[shape]) &&
      !(is_solid && are_within(wanted, kAlternateLimits)))
    return false;
  const bool gathers = (wanted.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
  if (gathers && !are_within(wanted, kGatherLimits)) return false;
  return (wanted.Flags & CUDA_ARRAY3D_SURFACE_LDST) == 0 ||
         are_within(wanted, kSurfaceLimits[shape]);
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

CUresult check_array(const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  if ((wanted.Flags & ~(kKnownFlags | kOtherFlags)) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_format(wanted.Format, wanted.NumChannels); error != CUDA_SUCCESS)
    return error;
  if ((wanted.Flags & kOtherFlags) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  return are_extents(wanted) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult check_mipmapped_array(const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  if (const CUresult error = check_array(wanted); error != CUDA_SUCCESS) return error;
  const bool is_flat = wanted.Depth == 0 && (wanted.Flags & CUDA_ARRAY3D_LAYERED) == 0;
  const bool is_too_large = is_flat && !are_within(wanted, kMipmappedLimits[wanted.Height != 0]);
  return is_too_large ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

Texels texels_of(const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  Texels texels;
  texels.format = {wanted.Format, wanted.NumChannels};
  texels.width = wanted.Width;
  texels.height = std::max<std::size_t>(wanted.Height, 1);
  texels.depth = std::max<std::size_t>(wanted.Depth, 1);
  texels.pitch = texels.row_bytes();
  texels.slice = texels.pitch * texels.height;
  texels.is_layered = (wanted.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  texels.is_cube = (wanted.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  return texels;
}

CUDA_ARRAY3D_DESCRIPTOR level_of(CUDA_ARRAY3D_DESCRIPTOR whole, unsigned index) {
  const auto halved = [index](std::size_t extent) {
    return extent == 0 ? 0 : std::max<std::size_t>(extent >> index, 1);
  };
  const bool is_solid = (whole.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) == 0;
  whole.Width = halved(whole.Width);
  whole.Height = halved(whole.Height);
  if (is_solid) whole.Depth = halved(whole.Depth);
  return whole;
}

unsigned level_limit(const CUDA_ARRAY3D_DESCRIPTOR& whole) {
  const bool is_solid = (whole.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) == 0;
  const std::size_t longest =
      std::max({whole.Width, whole.Height, is_solid ? whole.Depth : std::size_t{1}});
  return static_cast<unsigned>(std::bit_width(longest));
}

}  // namespace harness::devices::calls
