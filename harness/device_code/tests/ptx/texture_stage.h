// SPDX-License-Identifier: Apache-2.0
// TextureStage: textures and surfaces that PTX modules read and write, and their texels.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/device_code/tests/ptx/ptx_stage.h"
#include "harness/device_code/tests/ptx/sweep.h"

namespace harness::testing {

inline constexpr const char* kTextureHead = ".version 8.3\n.target sm_80\n.address_size 64\n";

/// The place of a geometry, by a layer and three coordinates in registers.
inline std::string coordinates_of(const std::string& geometry) {
  if (geometry == "1d") return "{%x}";
  if (geometry == "2d") return "{%x, %y}";
  if (geometry == "3d" || geometry == "cube") return "{%x, %y, %z, %z}";
  if (geometry == "acube") return "{%l, %x, %y, %z}";
  return geometry == "a1d" ? "{%l, %x}" : "{%l, %x, %y, %y}";
}
/// Number of its coordinates.
inline int axes_of(const std::string& geometry) {
  return geometry.ends_with("cube") ? 3 : geometry[geometry.size() - 2] - '0';
}

/// A kernel whose threads read four words at a layer and three their own coordinates. `what` is the
/// instruction, and `behind` what follows the place.
inline std::string fetch_kernel(const std::string& name, const std::string& what,
                                const std::string& geometry, const std::string& behind = "") {
  return fmt::format(
      ".visible .entry {}(.param .u64 texture, .param .u64 in, .param .u64 out)\n{{\n"
      ".reg .b64 %t, %in, %out, %i; .reg .b32 %l, %x, %y, %z, %a, %b, %c, %d;\n"
      "ld.param.u64 %t, [texture]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
      "mov.u32 %x, %tid.x; mul.wide.u32 %i, %x, 16; add.s64 %in, %in, %i; add.s64 %out, %out, %i;\n"
      "ld.global.v4.u32 {{%l, %x, %y, %z}}, [%in];\n"
      "{} {{%a, %b, %c, %d}}, [%t, {}]{};\n"
      "st.global.v4.u32 [%out], {{%a, %b, %c, %d}};\nret;\n}}\n",
      name, what, coordinates_of(geometry), behind);
}

/// Returns the coordinate within [0, last] by a surface's boundary mode, or -1 for none.
inline int bounded(int at, int last, const std::string& boundary) {
  if (at >= 0 && at <= last) return at;
  return boundary == "zero" ? -1 : std::clamp(at, 0, last);
}

/// How many channels of which type a texel has.
struct Format {
  CUarray_format channel = CU_AD_FORMAT_FLOAT;
  u32 channels = 1;

  u32 channel_bytes() const {
    if (channel == CU_AD_FORMAT_UNSIGNED_INT8 || channel == CU_AD_FORMAT_SIGNED_INT8) return 1;
    const bool is_wide = channel == CU_AD_FORMAT_UNSIGNED_INT32 ||
                         channel == CU_AD_FORMAT_SIGNED_INT32 || channel == CU_AD_FORMAT_FLOAT;
    return is_wide ? 4 : 2;
  }
  u32 bytes() const { return channels * channel_bytes(); }
};

/// An array and a copy of its texels, row by row.
struct Image {
  CUarray array = nullptr;
  Format format;
  int width = 1, height = 1, depth = 1;
  std::vector<u8> bytes;

  const u8* texel(int x, int y, int z) const {
    return &bytes[((std::size_t(z) * height + y) * width + x) * format.bytes()];
  }
};

class TextureStage : public PtxStage {
 protected:
  /// An array of dimensions, of which the last may be layers, filled with numbers that are no NaN.
  Image make_image(const std::string& geometry, Format format, unsigned flags = 0) const {
    CUDA_ARRAY3D_DESCRIPTOR wanted{5, 0, 0, format.channel, format.channels, flags};
    if (geometry == "2d" || geometry == "3d" || geometry == "a2d") wanted.Height = 3;
    if (geometry == "3d" || geometry[0] == 'a') wanted.Depth = 4;
    if (geometry[0] == 'a') wanted.Flags |= CUDA_ARRAY3D_LAYERED;
    if (geometry.ends_with("cube")) {
      wanted.Width = wanted.Height = 4;
      wanted.Depth = geometry[0] == 'a' ? 12 : 6;
      wanted.Flags |= CUDA_ARRAY3D_CUBEMAP;
    }
    CUarray array = nullptr;
    EXPECT_EQ(AFTERLIFE_CU(cuArray3DCreate_v2)(&array, &wanted), CUDA_SUCCESS);
    return filled(array, wanted);
  }
  /// Fills an existing array in the same way, with values that depend on `seed`.
  Image filled(CUarray array, const CUDA_ARRAY3D_DESCRIPTOR& shape, u32 seed = 12345) const {
    Image made;
    made.array = array;
    made.format = {shape.Format, shape.NumChannels};
    made.width = static_cast<int>(shape.Width);
    made.height = std::max(static_cast<int>(shape.Height), 1);
    made.depth = std::max(static_cast<int>(shape.Depth), 1);
    made.bytes = texels(made.format, std::size_t(made.width) * made.height * made.depth, seed);
    CUDA_MEMCPY3D copy = whole(made);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = made.bytes.data();
    copy.srcPitch = copy.WidthInBytes;
    copy.srcHeight = copy.Height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = made.array;
    EXPECT_EQ(AFTERLIFE_CU(cuMemcpy3D_v2)(&copy), CUDA_SUCCESS);
    return made;
  }
  std::vector<u8> bytes_in(const Image& image) const {
    std::vector<u8> found(image.bytes.size());
    CUDA_MEMCPY3D copy = whole(image);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = image.array;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = found.data();
    copy.dstPitch = copy.WidthInBytes;
    copy.dstHeight = copy.Height;
    EXPECT_EQ(AFTERLIFE_CU(cuMemcpy3D_v2)(&copy), CUDA_SUCCESS);
    return found;
  }
  void destroy(const Image& image) const {
    EXPECT_EQ(AFTERLIFE_CU(cuArrayDestroy)(image.array), CUDA_SUCCESS);
  }
  /// The arguments of the threads of a fetch_kernel().
  std::vector<u32> fetched(CUmodule module, const std::string& kernel, CUtexObject texture,
                           const std::vector<u32>& in) const {
    const CUdeviceptr source = copy_of(in);
    const CUdeviceptr target = copy_of(std::vector<u32>(in.size()));
    EXPECT_EQ(launch(function(module, kernel.c_str()), 1, static_cast<unsigned>(in.size() / 4), 0,
                     texture, source, target),
              CUDA_SUCCESS);
    const std::vector<u32> got = values_at<u32>(target, in.size());
    release(source), release(target);
    return got;
  }
  CUtexObject make_texture(CUarray array, const CUDA_TEXTURE_DESC& sampling = {}) const {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array;
    CUtexObject texture = 0;
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectCreate)(&texture, &resource, &sampling, nullptr),
              CUDA_SUCCESS);
    return texture;
  }
  /// Runs a kernel whose threads change the image as a surface: each has four words of `in`, and
  /// one or more of `data`.
  template <class T>
  void change_surface(CUfunction kernel, const Image& image, unsigned blocks, unsigned threads,
                      const std::vector<int>& in, const std::vector<T>& data) const {
    const CUsurfObject surface = make_surface(image.array);
    const CUdeviceptr at = copy_of(in);
    const CUdeviceptr given = copy_of(data);
    EXPECT_EQ(launch(kernel, blocks, threads, 0, surface, at, given), CUDA_SUCCESS);
    EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
    release(at), release(given);
    EXPECT_EQ(AFTERLIFE_CU(cuSurfObjectDestroy)(surface), CUDA_SUCCESS);
  }
  CUsurfObject make_surface(CUarray array) const {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array;
    CUsurfObject surface = 0;
    EXPECT_EQ(AFTERLIFE_CU(cuSurfObjectCreate)(&surface, &resource), CUDA_SUCCESS);
    return surface;
  }

 private:
  static CUDA_MEMCPY3D whole(const Image& image) {
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = std::size_t(image.width) * image.format.bytes();
    copy.Height = static_cast<std::size_t>(image.height);
    copy.Depth = static_cast<std::size_t>(image.depth);
    return copy;
  }
  static std::vector<u8> texels(Format format, std::size_t count, u32 state) {
    std::vector<u8> made(count * format.bytes());
    for (u8& byte : made) byte = static_cast<u8>((state = state * 1664525 + 1013904223) >> 24);
    // The exponents of floating point stay below those of infinities.
    if (format.channel == CU_AD_FORMAT_HALF)
      for (std::size_t i = 1; i < made.size(); i += 2) made[i] &= 0xbb;
    if (format.channel == CU_AD_FORMAT_FLOAT)
      for (std::size_t i = 3; i < made.size(); i += 4) made[i] = made[i] % 2 == 0 ? 0x3f : 0xc1;
    return made;
  }
};

}  // namespace harness::testing
