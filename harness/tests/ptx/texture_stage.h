// TextureStage: textures and surfaces that modules in PTX read and write, with what their texels
// are.
#pragma once

#include <algorithm>
#include <cstring>

#include "harness/tests/ptx/ptx_stage.h"
#include "harness/tests/ptx/sweep.h"

namespace harness::testing {

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
    Image made;
    made.format = format;
    made.width = 5;
    CUDA_ARRAY3D_DESCRIPTOR wanted{5, 0, 0, format.channel, format.channels, flags};
    if (geometry == "2d" || geometry == "3d" || geometry == "a2d") wanted.Height = made.height = 3;
    if (geometry == "3d" || geometry[0] == 'a') wanted.Depth = made.depth = 4;
    if (geometry[0] == 'a') wanted.Flags |= CUDA_ARRAY3D_LAYERED;
    EXPECT_EQ(AFTERLIFE_CU(cuArray3DCreate_v2)(&made.array, &wanted), CUDA_SUCCESS);
    made.bytes = texels(format, std::size_t(made.width) * made.height * made.depth);
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
  CUtexObject make_texture(CUarray array, const CUDA_TEXTURE_DESC& sampling = {}) const {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array;
    CUtexObject texture = 0;
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectCreate)(&texture, &resource, &sampling, nullptr),
              CUDA_SUCCESS);
    return texture;
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
  static std::vector<u8> texels(Format format, std::size_t count) {
    std::vector<u8> made(count * format.bytes());
    u32 state = 12345;
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
