// SPDX-License-Identifier: Apache-2.0
// Gathers (tld4) of each channel, geometry, format and mode, and offsets, compared with a
// reference.
#include <fmt/format.h>

#include "harness/device_code/tests/ptx/texture_reference.h"

namespace harness::testing {
namespace {

constexpr const char* kGeometries[] = {"2d", "a2d"};
constexpr const char kChannels[] = {'r', 'g', 'b', 'a'};
constexpr int kOffsets[][2] = {{0, 0}, {1, -2}, {-8, 7}};

std::string offset_of(const std::string& geometry, int index) {
  if (index == 0) return "";
  const auto [x, y] = kOffsets[index];
  if (geometry.ends_with("1d")) return fmt::format(", {{{}}}", x);
  const std::string rest = geometry == "3d" ? fmt::format(", {}, {}", y, y) : "";
  return fmt::format(", {{{}, {}{}}}", x, y, rest);
}

std::string all_kernels() {
  std::string text = kTextureHead;
  for (const std::string geometry : kGeometries)
    for (const char channel : kChannels)
      for (const char* type : {"f32", "s32", "u32"})
        for (int offset = 0; offset < 3; ++offset)
          text += fetch_kernel(fmt::format("gather_{}_{}_{}_{}", channel, geometry, type, offset),
                               fmt::format("tld4.{}.{}.v4.{}.f32", channel, geometry, type),
                               geometry, offset_of(geometry, offset));
  for (const std::string geometry : {"1d", "2d", "3d", "a1d", "a2d"})
    for (const char* from : {"f32", "s32"})
      for (int offset = 0; offset < 3; ++offset)
        text += fetch_kernel(fmt::format("fetch_{}_{}_{}", geometry, from, offset),
                             fmt::format("tex.{}.v4.f32.{}", geometry, from), geometry,
                             offset_of(geometry, offset));
  return text;
}

/// A coordinate: a texel's number and a part of it, which is far from the middle and the edges.
struct Spot {
  int texel;
  f32 part;

  f32 coordinate(int extent, bool normalized) const {
    const f32 at = static_cast<f32>(texel) + part;
    return normalized ? at / static_cast<f32>(extent) : at;
  }
  /// Returns the first of the two adjacent texels.
  int first() const { return part < 0.5F ? texel - 1 : texel; }
};

class PtxTextureGather : public OnGpuToo<TextureStage> {
 protected:
  void SetUp() override {
    TextureStage::SetUp();
    if (library == nullptr) return;
    module_ = load(all_kernels());
    for (const int texel : {-3, -1, 0, 1, 2, 3, 4, 5, 7})
      for (const f32 part : {0.2F, 0.8F}) spots_.push_back({texel, part});
  }

  CUtexObject make(const Image& image, const Way& way, unsigned flags) const {
    return make_texture(image.array, sampling_of(way, flags));
  }

  const Spot& spot(std::size_t index) const { return spots_[index % spots_.size()]; }
  std::vector<u32> places(const Image& image, bool normalized) const {
    std::vector<u32> in;
    for (std::size_t i = 0; i < 4 * spots_.size(); ++i) {
      in.push_back(static_cast<u32>(i % 6));
      in.push_back(std::bit_cast<u32>(spot(i).coordinate(image.width, normalized)));
      in.push_back(std::bit_cast<u32>(spot(i * 7 + i / 18).coordinate(image.height, normalized)));
      in.push_back(std::bit_cast<u32>(spot(i * 11).coordinate(image.depth, normalized)));
    }
    return in;
  }

  /// Returns the bits of a channel of a texel or of the border, as a texture reads it.
  static u32 channel_at(const Image& image, const Way& way, int x, int y, int layer, u32 channel,
                        bool as_integer) {
    if (channel >= image.format.channels) return 0;
    x = place(x, image.width, way.mode, way.normalized);
    y = place(y, image.height, way.mode, way.normalized);
    const bool is_outside = x < 0 || y < 0;
    const CUarray_format kind = image.format.channel;
    if (as_integer && is_outside) return integer_border(kind, channel);
    const u8* from = is_outside ? nullptr
                                : image.texel(x, y, std::min(layer, image.depth - 1)) +
                                      std::size_t{channel} * image.format.channel_bytes();
    if (as_integer) return static_cast<u32>(integer_at(kind, from));
    const Number number = is_outside ? border(kind, channel) : number_at(kind, from);
    return std::bit_cast<u32>(static_cast<f32>(number));
  }

  /// Compares the four texels of each place, counterclockwise from the lower left one.
  void check(const std::string& geometry, Format format, const Way& way, bool as_integer) {
    const bool is_plane = geometry == "2d";
    const Image image =
        make_image(geometry, format, is_plane ? unsigned{CUDA_ARRAY3D_TEXTURE_GATHER} : 0);
    const CUtexObject texture = make(image, way, as_integer ? CU_TRSF_READ_AS_INTEGER : 0);
    const std::vector<u32> in = places(image, way.normalized);
    constexpr int kSteps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (u32 channel = 0; channel < 4; ++channel)
      for (int offset = 0; offset < 3; ++offset) {
        const std::string name = fmt::format("gather_{}_{}_{}_{}", kChannels[channel], geometry,
                                             !as_integer           ? "f32"
                                             : format.channels > 1 ? "s32"
                                                                   : "u32",
                                             offset);
        const std::vector<u32> got = fetched(module_, name, texture, in);
        int wrong = 0;
        std::string message;
        for (std::size_t i = 0; i < in.size(); ++i) {
          // A channel that the format has not is 0 here, of which no document says anything.
          if (channel >= format.channels && GetParam() == Backend::gpu) continue;
          const std::size_t thread = i / 4;
          const int x = spot(thread).first() + kOffsets[offset][0] + kSteps[i % 4][0];
          const int y =
              spot(thread * 7 + thread / 18).first() + kOffsets[offset][1] + kSteps[i % 4][1];
          const int layer = is_plane ? 0 : static_cast<int>(in[4 * thread]);
          const u32 want = channel_at(image, way, x, y, layer, channel, as_integer);
          // A number of 8 or 16 bits is divided: by one last digit of f32 more or less.
          const bool is_near = !as_integer && got[i] - want + 1 <= 2;
          if (got[i] == want || is_near) continue;
          ++wrong;
          message = fmt::format("texel {} of thread {} ({}, {}) is {:#x}, not {:#x}", i % 4, thread,
                                x, y, got[i], want);
        }
        EXPECT_EQ(wrong, 0) << fmt::format("{} mode {} normalized {} format {} x {}: {}", name,
                                           int{way.mode}, way.normalized, int{format.channel},
                                           format.channels, message);
        ++checked_;
      }
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
    destroy(image);
  }

  template <class Check>
  static void in_all_ways(Check check) {
    for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                      CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER})
      for (const bool normalized : {false, true}) check(Way{mode, normalized, false});
  }

  std::vector<Spot> spots_;
  CUmodule module_ = nullptr;
  int checked_ = 0;
};

TEST_P(PtxTextureGather, ReturnsFourTexelsAsFloats) {
  for (const char* geometry : kGeometries)
    for (const Format format : {Format{CU_AD_FORMAT_FLOAT, 1}, Format{CU_AD_FORMAT_FLOAT, 4},
                                Format{CU_AD_FORMAT_HALF, 2}, Format{CU_AD_FORMAT_UNSIGNED_INT8, 4},
                                Format{CU_AD_FORMAT_SIGNED_INT16, 2}})
      in_all_ways([&](Way way) {
        check(geometry, format, way, false);
        way.linear = true;  // The filter makes no difference.
        check(geometry, format, way, false);
      });
  EXPECT_EQ(checked_, 2 * 5 * 8 * 2 * 12);
}

TEST_P(PtxTextureGather, ReturnsFourTexelsAsIntegers) {
  for (const char* geometry : kGeometries)
    for (const Format format :
         {Format{CU_AD_FORMAT_UNSIGNED_INT32, 1}, Format{CU_AD_FORMAT_SIGNED_INT32, 4},
          Format{CU_AD_FORMAT_SIGNED_INT8, 4}, Format{CU_AD_FORMAT_UNSIGNED_INT16, 1}})
      in_all_ways([&](const Way& way) { check(geometry, format, way, true); });
  EXPECT_EQ(checked_, 2 * 4 * 8 * 12);
}

/// A place with an offset is that of this many texels further on.
TEST_P(PtxTextureGather, AnOffsetMovesACoordinate) {
  int compared = 0;
  for (const std::string geometry : {"1d", "2d", "3d", "a1d", "a2d"}) {
    const Image image = make_image(geometry, {CU_AD_FORMAT_FLOAT, 1});
    const int axes = axes_of(geometry);
    in_all_ways([&](const Way& way) {
      const CUtexObject texture = make(image, way, 0);
      const std::vector<u32> in = places(image, way.normalized);
      for (int offset = 1; offset < 3; ++offset) {
        const std::vector<u32> got =
            fetched(module_, fmt::format("fetch_{}_f32_{}", geometry, offset), texture, in);
        for (std::size_t i = 0; i < in.size(); i += 4) {
          const std::size_t thread = i / 4;
          const int steps[] = {kOffsets[offset][0], kOffsets[offset][1], kOffsets[offset][1]};
          const int texels[] = {spot(thread).texel, spot(thread * 7 + thread / 18).texel,
                                spot(thread * 11).texel};
          const int extents[] = {image.width, image.height, image.depth};
          int at[3] = {0, 0, geometry[0] == 'a' ? std::min(static_cast<int>(in[i]), 3) : 0};
          for (int axis = 0; axis < axes; ++axis)
            at[axis] = place(texels[axis] + steps[axis], extents[axis], way.mode, way.normalized);
          const bool is_outside = at[0] < 0 || at[1] < 0 || at[2] < 0;
          const f32 want = is_outside ? static_cast<f32>(border(image.format.channel, 0))
                                      : read<f32>(image.texel(at[0], at[1], at[2]));
          ASSERT_EQ(std::bit_cast<f32>(got[i]), want)
              << geometry << " mode " << int{way.mode} << " normalized " << way.normalized
              << " offset " << offset << " thread " << thread;
          ++compared;
        }
      }
      EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
    });
    destroy(image);
  }
  EXPECT_EQ(compared, 5 * 8 * 2 * 72);
}

/// By number: the texel is another one, or 0 outside.
TEST_P(PtxTextureGather, AnOffsetIsAddedToAnIndex) {
  const Image image = make_image("2d", {CU_AD_FORMAT_FLOAT, 1});
  const CUtexObject texture = make(image, {CU_TR_ADDRESS_MODE_CLAMP, false, false}, 0);
  const std::vector<u32> got =
      fetched(module_, "fetch_2d_s32_1", texture, {0, 2, 2, 0, 0, 3, 4, 0, 0, 4, 3, 0});
  EXPECT_EQ(std::bit_cast<f32>(got[0]), read<f32>(image.texel(3, 0, 0)));
  EXPECT_EQ(std::bit_cast<f32>(got[4]), read<f32>(image.texel(4, 2, 0)));
  EXPECT_EQ(got[8], 0u);
}

INSTANTIATE_ON_GPU_TOO(PtxTextureGather);

}  // namespace
}  // namespace harness::testing
