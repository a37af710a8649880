// SPDX-License-Identifier: Apache-2.0
// Surface instructions for each geometry, size and boundary mode, compared with a reference on a
// copy of the bytes.
#include <fmt/format.h>

#include <map>

#include "harness/device_code/tests/ptx/texture_stage.h"

namespace harness::testing {
namespace {

constexpr const char* kGeometries[] = {"1d", "2d", "3d", "a1d", "a2d"};
constexpr const char* kBoundaries[] = {"clamp", "zero"};

/// This many parts of this many bits.
struct Size {
  u32 bits;
  u32 parts;
  u32 bytes() const { return bits / 8 * parts; }
};
constexpr Size kSizes[] = {{8, 1},  {8, 2},  {8, 4},  {16, 1}, {16, 2}, {16, 4},
                           {32, 1}, {32, 2}, {32, 4}, {64, 1}, {64, 2}};

std::string name_of(const std::string& geometry, Size size, const std::string& boundary) {
  return fmt::format("{}_{}_{}_{}", geometry, size.bits, size.parts, boundary);
}

/// The two kernels of an access: each thread loads 16 bytes, or stores as many as it may.
std::string kernels(const std::string& geometry, Size size, const std::string& boundary) {
  const std::string name = name_of(geometry, size, boundary);
  const std::string vector = size.parts == 1 ? "" : fmt::format(".v{}", size.parts);
  std::string registers;
  std::string loads;
  std::string stores;
  for (u32 i = 0; i < size.parts; ++i) {
    registers += fmt::format("{}%v{}", i == 0 ? "" : ", ", i);
    stores += fmt::format("st.global.b{} [%data+{}], %v{};\n", size.bits, i * size.bits / 8, i);
    loads += fmt::format("ld.global.b{} %v{}, [%data+{}];\n", size.bits, i, i * size.bits / 8);
  }
  const std::string head = fmt::format(
      "(.param .u64 surface, .param .u64 in, .param .u64 data)\n{{\n"
      ".reg .b64 %t, %in, %data, %i; .reg .b32 %l, %x, %y, %z; .reg .b{} {};\n"
      "ld.param.u64 %t, [surface]; ld.param.u64 %in, [in]; ld.param.u64 %data, [data];\n"
      "mov.u32 %x, %tid.x; mul.wide.u32 %i, %x, 16; add.s64 %in, %in, %i;\n"
      "add.s64 %data, %data, %i; ld.global.v4.u32 {{%l, %x, %y, %z}}, [%in];\n",
      std::max(size.bits, 16u), registers);
  const std::string what = fmt::format("b.{}{}.b{}.{}", geometry, vector, size.bits, boundary);
  const std::string where = coordinates_of(geometry);
  return fmt::format(
      ".visible .entry load_{0}{1}suld.{2} {{{4}}}, [%t, {3}];\n{5}ret;\n}}\n"
      ".visible .entry store_{0}{1}{6}sust.{2} [%t, {3}], {{{4}}};\nret;\n}}\n",
      name, head, what, where, registers, stores, loads);
}

class PtxSurface : public OnGpuToo<TextureStage> {
 protected:
  void SetUp() override {
    TextureStage::SetUp();
    if (library == nullptr) return;
    std::string text = kTextureHead;
    for (const char* geometry : kGeometries)
      for (const Size size : kSizes)
        for (const char* boundary : kBoundaries) text += kernels(geometry, size, boundary);
    module_ = load(text);
  }

  /// Layers and coordinates of accesses within, at the edges and beyond.
  static std::vector<int> places(const Image& image, Size size) {
    const int row = image.width * static_cast<int>(image.format.bytes());
    const int bytes = static_cast<int>(size.bytes());
    std::vector<int> made;
    for (const int x : {0, bytes, row - bytes, row, -bytes})
      for (const int y : {0, image.height - 1, image.height, -1})
        for (const int z : {0, image.depth - 1, image.depth})
          for (const int word : {z, x, y, z}) made.push_back(word);
    return made;
  }

  /// The bytes of an access, or null if it has no effect.
  static u8* bytes_at(Image& image, const std::string& geometry, Size size, const int* at,
                      const std::string& boundary) {
    const int row = image.width * static_cast<int>(image.format.bytes());
    const int x = bounded(at[1], row - static_cast<int>(size.bytes()), boundary);
    const bool has_y = geometry == "2d" || geometry == "3d" || geometry == "a2d";
    const bool has_z = geometry == "3d" || geometry[0] == 'a';
    const int y = has_y ? bounded(at[2], image.height - 1, boundary) : 0;
    const int z = has_z ? bounded(at[0], image.depth - 1, boundary) : 0;
    if (x < 0 || y < 0 || z < 0) return nullptr;
    return &image.bytes[static_cast<std::size_t>((z * image.height + y) * row + x)];
  }

  /// The 16 bytes that each thread stores. Those that store to one place store the same: no
  /// document says which of them is the last.
  static std::vector<u8> stored(Image& image, const std::string& geometry, Size size,
                                const std::vector<int>& in, const std::string& boundary) {
    std::vector<u8> data(in.size() * 4);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<u8>(i * 7 + 1);
    std::map<const u8*, std::size_t> first;
    for (std::size_t i = 0; i < in.size() / 4; ++i) {
      const u8* to = bytes_at(image, geometry, size, &in[4 * i], boundary);
      const std::size_t from = to == nullptr ? i : first.try_emplace(to, i).first->second;
      std::copy_n(&data[16 * from], 16, &data[16 * i]);
    }
    return data;
  }

  void check(const std::string& geometry, Size size, const std::string& boundary) {
    // Rows of 80 bytes, of which each access is a part.
    Image image = make_image(geometry, {CU_AD_FORMAT_UNSIGNED_INT32, 4}, CUDA_ARRAY3D_SURFACE_LDST);
    const CUsurfObject surface = make_surface(image.array);
    const std::vector<int> in = places(image, size);
    const unsigned threads = static_cast<unsigned>(in.size() / 4);
    const std::vector<u8> data = stored(image, geometry, size, in, boundary);
    const CUdeviceptr at = copy_of(in);
    const CUdeviceptr found = copy_of(std::vector<u8>(data.size()));
    const CUdeviceptr given = copy_of(data);
    const std::string name = name_of(geometry, size, boundary);
    ASSERT_EQ(
        launch(function(module_, ("load_" + name).c_str()), 1, threads, 0, surface, at, found),
        CUDA_SUCCESS);
    const std::vector<u8> got = values_at<u8>(found, data.size());
    for (std::size_t i = 0; i < threads; ++i) {
      const u8* want = bytes_at(image, geometry, size, &in[4 * i], boundary);
      for (u32 k = 0; k < size.bytes(); ++k)
        ASSERT_EQ(got[16 * i + k], want != nullptr ? want[k] : 0) << name << " thread " << i;
    }
    ASSERT_EQ(
        launch(function(module_, ("store_" + name).c_str()), 1, threads, 0, surface, at, given),
        CUDA_SUCCESS);
    for (std::size_t i = 0; i < threads; ++i)
      if (u8* to = bytes_at(image, geometry, size, &in[4 * i], boundary); to != nullptr)
        std::copy_n(&data[16 * i], size.bytes(), to);
    const std::vector<u8> now = bytes_in(image);
    const auto [wrong, wanted] = std::mismatch(now.begin(), now.end(), image.bytes.begin());
    ASSERT_EQ(wrong, now.end()) << fmt::format("{}: byte {} is {:#x}, not {:#x}", name,
                                               wrong - now.begin(), *wrong, *wanted);
    release(at), release(found), release(given);
    EXPECT_EQ(AFTERLIFE_CU(cuSurfObjectDestroy)(surface), CUDA_SUCCESS);
    destroy(image);
    ++checked_;
  }

  CUmodule module_ = nullptr;
  int checked_ = 0;
};

TEST_P(PtxSurface, EachSizeAndGeometryIsReadAndWrittenAsDocumented) {
  for (const char* geometry : kGeometries)
    for (const Size size : kSizes)
      for (const char* boundary : kBoundaries) check(geometry, size, boundary);
  EXPECT_EQ(checked_, 5 * 11 * 2);
}

INSTANTIATE_ON_GPU_TOO(PtxSurface);

}  // namespace
}  // namespace harness::testing
