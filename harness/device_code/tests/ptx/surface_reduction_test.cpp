// SPDX-License-Identifier: Apache-2.0
// Surface reductions (sured) by byte and by texel, for each geometry, type, operation and boundary
// mode, compared with a reference on a copy of the bytes.
#include <fmt/format.h>

#include "harness/device_code/tests/ptx/texture_stage.h"

namespace harness::testing {
namespace {

constexpr const char* kGeometries[] = {"1d", "2d", "3d"};
constexpr const char* kBoundaries[] = {"clamp", "zero"};

/// An operation on a type; by texel the format says whether numbers are signed.
struct Reduction {
  bool by_texel;
  const char* operation;
  const char* type;

  u32 bytes() const { return std::string(type).ends_with("64") ? 8 : 4; }
  std::string name(const std::string& geometry, const std::string& boundary) const {
    return fmt::format("{}_{}_{}_{}_{}", by_texel ? 'p' : 'b', operation, type, geometry, boundary);
  }
};

constexpr Reduction kReductions[] = {
    {false, "add", "u32"}, {false, "add", "s32"}, {false, "add", "u64"}, {false, "min", "u32"},
    {false, "min", "s32"}, {false, "min", "u64"}, {false, "min", "s64"}, {false, "max", "u32"},
    {false, "max", "s32"}, {false, "max", "u64"}, {false, "max", "s64"}, {false, "and", "b32"},
    {false, "or", "b32"},  {true, "add", "b32"},  {true, "min", "b32"},  {true, "max", "b32"},
    {true, "and", "b32"},  {true, "or", "b32"},   {true, "min", "b64"},  {true, "max", "b64"}};

/// Each thread changes a separate place by its own value.
std::string kernel(const Reduction& reduction, const std::string& geometry,
                   const std::string& boundary) {
  const u32 bits = 8 * reduction.bytes();
  return fmt::format(
      ".visible .entry {0}(.param .u64 surface, .param .u64 in, .param .u64 data)\n{{\n"
      ".reg .b64 %t, %in, %data, %i; .reg .b32 %l, %x, %y, %z; .reg .b{1} %v;\n"
      "ld.param.u64 %t, [surface]; ld.param.u64 %in, [in]; ld.param.u64 %data, [data];\n"
      "mov.u32 %x, %tid.x; mul.wide.u32 %i, %x, 16; add.s64 %in, %in, %i;\n"
      "mul.wide.u32 %i, %x, 8; add.s64 %data, %data, %i;\n"
      "ld.global.v4.u32 {{%l, %x, %y, %z}}, [%in]; ld.global.b{1} %v, [%data];\n"
      "sured.{2}.{3}.{4}.{5}.{6} [%t, {7}], %v;\nret;\n}}\n",
      reduction.name(geometry, boundary), bits, reduction.by_texel ? 'p' : 'b', reduction.operation,
      geometry, reduction.type, boundary, coordinates_of(geometry));
}

/// Returns what an operation makes of two numbers, which are wide enough for any.
__int128 combined(const std::string& operation, __int128 old, __int128 value) {
  if (operation == "add") return old + value;
  if (operation == "min") return old < value ? old : value;
  if (operation == "max") return old < value ? value : old;
  return operation == "and" ? (old & value) : (old | value);
}

/// Returns the number in this many bytes.
__int128 number_of(u64 bits, u32 bytes, bool is_signed) {
  if (bytes == 4)
    return is_signed ? __int128{static_cast<s32>(bits)} : __int128{static_cast<u32>(bits)};
  return is_signed ? __int128{static_cast<s64>(bits)} : __int128{bits};
}

/// Values that are unequal by their signs, and by their sizes.
u64 value_of(std::size_t index) {
  constexpr u64 kEdges[] = {0, 1, ~u64{0}, 0x80000000, 0x7fffffff, u64{1} << 63, ~u64{0} >> 1};
  const u64 any = (index + 1) * 0x9e3779b97f4a7c15U;
  return index % 3 == 0 ? kEdges[index / 3 % 7] : any;
}

class PtxSurfaceReduction : public OnGpuToo<TextureStage> {
 protected:
  static constexpr unsigned kBlocks = 3;  // Each does the same once more.

  void SetUp() override {
    TextureStage::SetUp();
    if (library == nullptr) return;
    std::string text = kTextureHead;
    for (const Reduction& reduction : kReductions)
      for (const char* geometry : kGeometries)
        for (const char* boundary : kBoundaries) text += kernel(reduction, geometry, boundary);
    module_ = load(text);
  }

  /// Coordinates of which the first is in steps of this many; several are clamped to one place.
  static std::vector<int> places(const Image& image, int step, int last) {
    std::vector<int> made;
    for (const int x : {0, step, last, last + step, -step})
      for (const int y : {0, image.height - 1, image.height, -1})
        for (const int z : {0, image.depth - 1, image.depth})
          for (const int word : {0, x, y, z}) made.push_back(word);
    return made;
  }

  void check(const Reduction& reduction, const std::string& geometry, const std::string& boundary,
             Format format) {
    Image image = make_image(geometry, format, CUDA_ARRAY3D_SURFACE_LDST);
    const int bytes = static_cast<int>(reduction.bytes());
    const int row = image.width * static_cast<int>(format.bytes());
    const int step = reduction.by_texel ? 1 : bytes;
    const int last = (row - bytes) / (reduction.by_texel ? bytes : 1);
    const std::vector<int> in = places(image, step, last);
    std::vector<u64> data(in.size() / 4);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = value_of(i);
    change_surface(function(module_, reduction.name(geometry, boundary).c_str()), image, kBlocks,
                   static_cast<unsigned>(data.size()), in, data);
    const bool is_signed =
        reduction.by_texel ? format.channel == CU_AD_FORMAT_SIGNED_INT32 : reduction.type[0] == 's';
    for (std::size_t i = 0; i < kBlocks * data.size(); ++i) {
      const int* at = &in[i % data.size() * 4];
      const int x = bounded(at[1], last, boundary);
      const int y = geometry != "1d" ? bounded(at[2], image.height - 1, boundary) : 0;
      const int z = geometry == "3d" ? bounded(at[3], image.depth - 1, boundary) : 0;
      if (x < 0 || y < 0 || z < 0) continue;
      u8* to = &image.bytes[static_cast<std::size_t>((z * image.height + y) * row +
                                                     x * (reduction.by_texel ? bytes : 1))];
      u64 old = 0;
      std::memcpy(&old, to, reduction.bytes());
      const u64 made = static_cast<u64>(
          combined(reduction.operation, number_of(old, reduction.bytes(), is_signed),
                   number_of(data[i % data.size()], reduction.bytes(), is_signed)));
      std::memcpy(to, &made, reduction.bytes());
    }
    const std::vector<u8> now = bytes_in(image);
    const auto [wrong, wanted] = std::mismatch(now.begin(), now.end(), image.bytes.begin());
    ASSERT_EQ(wrong, now.end()) << fmt::format(
        "{} format {}: byte {} is {:#x}, not {:#x}", reduction.name(geometry, boundary),
        int{format.channel}, wrong - now.begin(), *wrong, *wanted);
    destroy(image);
    ++checked_;
  }

  CUmodule module_ = nullptr;
  int checked_ = 0;
};

TEST_P(PtxSurfaceReduction, EachOperationOnEachTypeIsAsDocumented) {
  for (const Reduction& reduction : kReductions)
    for (const char* geometry : kGeometries)
      for (const char* boundary : kBoundaries) {
        const u32 channels = reduction.by_texel ? reduction.bytes() / 4 : 4;
        check(reduction, geometry, boundary, {CU_AD_FORMAT_UNSIGNED_INT32, channels});
        if (reduction.by_texel)
          check(reduction, geometry, boundary, {CU_AD_FORMAT_SIGNED_INT32, channels});
      }
  EXPECT_EQ(checked_, (20 + 7) * 3 * 2);
}

INSTANTIATE_ON_GPU_TOO(PtxSurfaceReduction);

}  // namespace
}  // namespace harness::testing
