// SPDX-License-Identifier: Apache-2.0
// Texel stores to surfaces (sust.p) for each geometry, format and boundary mode, compared with a
// reference on a copy of the bytes.
#include <fmt/format.h>

#include <map>

#include "harness/device_code/tests/ptx/halves.h"
#include "harness/device_code/tests/ptx/texture_stage.h"

namespace harness::testing {
namespace {

constexpr const char* kGeometries[] = {"1d", "2d", "3d"};
constexpr const char* kBoundaries[] = {"clamp", "zero"};
constexpr u32 kParts[] = {1, 2, 4};
constexpr CUarray_format kChannels[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                        CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                        CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                        CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};

std::string name_of(const std::string& geometry, u32 parts, const std::string& boundary) {
  return fmt::format("store_{}_{}_{}", geometry, parts, boundary);
}

/// Each thread stores its own texel at a separate place.
std::string kernel(const std::string& geometry, u32 parts, const std::string& boundary) {
  const std::string vector = parts == 1 ? "" : fmt::format(".v{}", parts);
  constexpr const char* kRegisters[] = {"", "%a", "%a, %b", "", "%a, %b, %c, %d"};
  return fmt::format(
      ".visible .entry {0}(.param .u64 surface, .param .u64 in, .param .u64 data)\n{{\n"
      ".reg .b64 %t, %in, %data, %i; .reg .b32 %l, %x, %y, %z, %a, %b, %c, %d;\n"
      "ld.param.u64 %t, [surface]; ld.param.u64 %in, [in]; ld.param.u64 %data, [data];\n"
      "mov.u32 %x, %tid.x; mul.wide.u32 %i, %x, 16; add.s64 %in, %in, %i;\n"
      "add.s64 %data, %data, %i; ld.global.v4.u32 {{%l, %x, %y, %z}}, [%in];\n"
      "ld.global.v4.u32 {{%a, %b, %c, %d}}, [%data];\n"
      "sust.p.{1}{2}.b32.{3} [%t, {4}], {{{5}}};\nret;\n}}\n",
      name_of(geometry, parts, boundary), geometry, vector, boundary, coordinates_of(geometry),
      kRegisters[parts]);
}

// ---- the reference ----------------------------------------------------------------------------

/// The numbers that a channel of integers can hold.
std::pair<s64, s64> range_of(CUarray_format channel) {
  const u32 bits = 8 * Format{channel, 1}.channel_bytes();
  const s64 count = s64{1} << bits;
  const bool is_signed = channel == CU_AD_FORMAT_SIGNED_INT8 ||
                         channel == CU_AD_FORMAT_SIGNED_INT16 ||
                         channel == CU_AD_FORMAT_SIGNED_INT32;
  return is_signed ? std::pair{-count / 2, count / 2 - 1} : std::pair{s64{0}, count - 1};
}

/// Returns a register of a channel; `beyond`: also one with an undocumented value.
u32 word_of(CUarray_format channel, u32 index, bool beyond) {
  const u32 any = index * 2654435761U ^ index >> 3;
  if (channel == CU_AD_FORMAT_FLOAT) return any & 0xbf7fffff;
  if (channel == CU_AD_FORMAT_HALF) {
    const half exact{static_cast<u16>(any >> 16 & 0xbbff)};
    return std::bit_cast<u32>(static_cast<f32>(number(exact))) + (beyond ? any % 0x3000 : 0);
  }
  const auto [least, most] = range_of(channel);
  if (beyond && index % 3 == 0) return any;
  if (index % 5 == 0) return static_cast<u32>(index % 2 == 0 ? least : most);
  return static_cast<u32>(least + any % (most - least + 1));
}

/// The bytes of a channel, low ones first.
u64 bits_of(CUarray_format channel, u32 word) {
  if (channel == CU_AD_FORMAT_FLOAT) return word;
  if (channel == CU_AD_FORMAT_HALF)
    return rounded_half<half>(std::bit_cast<f32>(word), (word >> 31) != 0,
                              [](quad below, quad above, bool is_odd) {
                                return above < below || (above == below && is_odd);
                              })
        .raw;
  const auto [least, most] = range_of(channel);
  const s64 value = least < 0 ? s64{static_cast<s32>(word)} : s64{word};
  return static_cast<u64>(std::min(std::max(value, least), most));
}

class PtxSurfaceTexel : public OnGpuToo<TextureStage> {
 protected:
  void SetUp() override {
    TextureStage::SetUp();
    if (library == nullptr) return;
    std::string text = kTextureHead;
    for (const char* geometry : kGeometries)
      for (const u32 parts : kParts)
        for (const char* boundary : kBoundaries) text += kernel(geometry, parts, boundary);
    module_ = load(text);
  }

  static std::vector<int> places(const Image& image) {
    std::vector<int> made;
    for (const int x : {0, 1, image.width - 1, image.width, -1, image.width + 7})
      for (const int y : {0, image.height - 1, image.height, -1})
        for (const int z : {0, image.depth - 1, image.depth})
          for (const int word : {0, x, y, z}) made.push_back(word);
    return made;
  }

  /// Returns the texel at a coordinate, or null if a store has no effect.
  static u8* texel_at(Image& image, const std::string& geometry, const int* at,
                      const std::string& boundary) {
    const int x = bounded(at[1], image.width - 1, boundary);
    const int y = geometry != "1d" ? bounded(at[2], image.height - 1, boundary) : 0;
    const int z = geometry == "3d" ? bounded(at[3], image.depth - 1, boundary) : 0;
    return x < 0 || y < 0 || z < 0 ? nullptr : const_cast<u8*>(image.texel(x, y, z));
  }

  void check(const std::string& geometry, Format format, u32 parts, const std::string& boundary) {
    const bool beyond = GetParam() != Backend::gpu;
    Image image = make_image(geometry, format, CUDA_ARRAY3D_SURFACE_LDST);
    const std::vector<int> in = places(image);
    std::vector<u32> data(in.size());
    std::map<const u8*, std::size_t> first;  // Those of one place store the same.
    for (std::size_t i = 0; i < data.size(); i += 4) {
      const u8* to = texel_at(image, geometry, &in[i], boundary);
      const std::size_t from = to == nullptr ? i : first.try_emplace(to, i).first->second;
      for (std::size_t c = 0; c < 4; ++c)
        data[i + c] = word_of(format.channel, static_cast<u32>(from + c), beyond);
    }
    change_surface(function(module_, name_of(geometry, parts, boundary).c_str()), image, 1,
                   static_cast<unsigned>(in.size() / 4), in, data);
    const std::vector<u8> now = bytes_in(image);
    for (std::size_t i = 0; i < data.size(); i += 4)
      if (u8* to = texel_at(image, geometry, &in[i], boundary); to != nullptr)
        for (u32 c = 0; c < format.channels; ++c)
          put(image, now, to + std::size_t{c} * format.channel_bytes(),
              c < parts ? &data[i + c] : nullptr);
    const auto [wrong, wanted] = std::mismatch(now.begin(), now.end(), image.bytes.begin());
    ASSERT_EQ(wrong, now.end()) << fmt::format(
        "{} format {} x {}: byte {} is {:#x}, not {:#x}", name_of(geometry, parts, boundary),
        int{format.channel}, format.channels, wrong - now.begin(), *wrong, *wanted);
    destroy(image);
    ++checked_;
  }

  /// Writes a channel to the copy. One that the store did not name may be anything.
  static void put(const Image& image, const std::vector<u8>& now, u8* to, const u32* word) {
    const u32 bytes = image.format.channel_bytes();
    const u64 bits = word != nullptr ? bits_of(image.format.channel, *word) : 0;
    for (u32 k = 0; k < bytes; ++k)
      to[k] = word != nullptr ? static_cast<u8>(bits >> (8 * k))
                              : now[static_cast<std::size_t>(to + k - image.bytes.data())];
  }

  CUmodule module_ = nullptr;
  int checked_ = 0;
};

TEST_P(PtxSurfaceTexel, IsStoredInEachFormatAndGeometryAsDocumented) {
  for (const char* geometry : kGeometries)
    for (const CUarray_format channel : kChannels)
      for (const u32 channels : {1, 2, 4})
        for (const u32 parts : kParts)
          for (const char* boundary : kBoundaries)
            check(geometry, {channel, channels}, parts, boundary);
  EXPECT_EQ(checked_, 3 * 8 * 3 * 3 * 2);
}

INSTANTIATE_ON_GPU_TOO(PtxSurfaceTexel);

}  // namespace
}  // namespace harness::testing
