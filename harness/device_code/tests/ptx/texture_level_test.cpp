// SPDX-License-Identifier: Apache-2.0
// Mipmapped textures: levels given by number, by gradients or by default, for each geometry and
// filter, compared with a reference.
#include <fmt/format.h>

#include "harness/device_code/tests/ptx/texture_reference.h"

namespace harness::testing {
namespace {

constexpr const char* kGeometries[] = {"1d", "2d", "3d", "a1d", "a2d"};

/// A kernel whose threads fetch at a place of their own, with four more words: a level, or two
/// gradients.
std::string kernel(const std::string& name, const std::string& what, const std::string& geometry,
                   const std::string& behind) {
  return fmt::format(
      ".visible .entry {}(.param .u64 texture, .param .u64 in, .param .u64 how, .param .u64 out)\n"
      "{{\n.reg .b64 %t, %in, %how, %out, %i; .reg .b32 %l, %x, %y, %z, %a, %b, %c, %d;\n"
      ".reg .b32 %e, %f, %g, %h;\n"
      "ld.param.u64 %t, [texture]; ld.param.u64 %in, [in]; ld.param.u64 %how, [how];\n"
      "ld.param.u64 %out, [out]; mov.u32 %x, %tid.x; mul.wide.u32 %i, %x, 16;\n"
      "add.s64 %in, %in, %i; add.s64 %how, %how, %i; add.s64 %out, %out, %i;\n"
      "ld.global.v4.u32 {{%l, %x, %y, %z}}, [%in]; ld.global.v4.u32 {{%e, %f, %g, %h}}, [%how];\n"
      "{} {{%a, %b, %c, %d}}, [%t, {}]{};\n"
      "st.global.v4.u32 [%out], {{%a, %b, %c, %d}};\nret;\n}}\n",
      name, what, coordinates_of(geometry), behind);
}

std::string all_kernels() {
  std::string text = kTextureHead;
  for (const std::string geometry : kGeometries) {
    const int axes = axes_of(geometry);
    const char* gradients = axes == 1   ? ", {%e}, {%g}"
                            : axes == 2 ? ", {%e, %f}, {%g, %h}"
                                        : ", {%e, %f, %f, %f}, {%g, %h, %h, %h}";
    text +=
        kernel("base_" + geometry, fmt::format("tex.base.{}.v4.f32.f32", geometry), geometry, "");
    text += kernel("plain_" + geometry, fmt::format("tex.{}.v4.f32.f32", geometry), geometry, "");
    text += kernel("level_" + geometry, fmt::format("tex.level.{}.v4.f32.f32", geometry), geometry,
                   ", %e");
    text += kernel("number_" + geometry, fmt::format("tex.level.{}.v4.f32.s32", geometry), geometry,
                   ", %e");
    text += kernel("gradients_" + geometry, fmt::format("tex.grad.{}.v4.f32.f32", geometry),
                   geometry, gradients);
  }
  return text +
         ".visible .entry ask(.param .u64 texture, .param .u64 out)\n{\n"
         ".reg .b64 %t, %o; .reg .b32 %a, %b, %c, %d, %i;\n"
         "ld.param.u64 %t, [texture]; ld.param.u64 %o, [out]; mov.u32 %i, 1;\n"
         "txq.num_mipmap_levels.b32 %a, [%t]; txq.width.b32 %b, [%t];\n"
         "txq.level.width.b32 %c, [%t], %i; txq.level.height.b32 %d, [%t], %i;\n"
         "st.global.v4.u32 [%o], {%a, %b, %c, %d};\nret;\n}\n";
}

/// The way in which the level of a texture is chosen.
struct Chosen {
  bool blends;  ///< Between two levels.
  f32 bias = 0;
  f32 least = 0;
  f32 most = 99;
};

/// A mipmapped array, and a copy of each level.
struct Pyramid {
  CUmipmappedArray array = nullptr;
  std::vector<Image> levels;
};

class PtxTextureLevel : public OnGpuToo<TextureStage> {
 protected:
  void SetUp() override {
    TextureStage::SetUp();
    if (library != nullptr) module_ = load(all_kernels());
  }

  /// Levels of 16 by 8, 8 by 4 and so on, in the existing dimensions; layers are kept.
  Pyramid make_pyramid(const std::string& geometry, Format format) const {
    CUDA_ARRAY3D_DESCRIPTOR shape{16, 0, 0, format.channel, format.channels, 0};
    const bool is_layered = geometry[0] == 'a';
    if (axes_of(geometry) >= 2) shape.Height = 8;
    if (axes_of(geometry) == 3) shape.Depth = 4;
    if (is_layered) shape.Depth = 3;
    if (is_layered) shape.Flags = CUDA_ARRAY3D_LAYERED;
    Pyramid made;
    EXPECT_EQ(AFTERLIFE_CU(cuMipmappedArrayCreate)(&made.array, &shape, 99), CUDA_SUCCESS);
    for (u32 i = 0; i < 5; ++i) {
      CUarray level = nullptr;
      EXPECT_EQ(AFTERLIFE_CU(cuMipmappedArrayGetLevel)(&level, made.array, i), CUDA_SUCCESS);
      CUDA_ARRAY3D_DESCRIPTOR found{};
      EXPECT_EQ(AFTERLIFE_CU(cuArray3DGetDescriptor_v2)(&found, level), CUDA_SUCCESS);
      const auto half = [](std::size_t extent) { return extent > 1 ? extent / 2 : extent; };
      EXPECT_EQ(found.Width, shape.Width);
      EXPECT_EQ(found.Height, shape.Height);
      EXPECT_EQ(found.Depth, shape.Depth);
      made.levels.push_back(filled(level, shape, 1000 + i));
      shape.Width = half(shape.Width);
      shape.Height = half(shape.Height);
      if (!is_layered) shape.Depth = half(shape.Depth);
    }
    return made;
  }
  void destroy(const Pyramid& pyramid) const {
    EXPECT_EQ(AFTERLIFE_CU(cuMipmappedArrayDestroy)(pyramid.array), CUDA_SUCCESS);
  }

  CUtexObject make(const Pyramid& pyramid, const Way& way, const Chosen& chosen,
                   const CUDA_RESOURCE_VIEW_DESC* view = nullptr) const {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = pyramid.array;
    CUDA_TEXTURE_DESC sampling = sampling_of(way, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
    sampling.mipmapFilterMode = chosen.blends ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    sampling.mipmapLevelBias = chosen.bias;
    sampling.minMipmapLevelClamp = chosen.least;
    sampling.maxMipmapLevelClamp = chosen.most;
    CUtexObject texture = 0;
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectCreate)(&texture, &resource, &sampling, view), CUDA_SUCCESS);
    return texture;
  }

  std::vector<u32> fetched(const std::string& kernel, CUtexObject texture,
                           const std::vector<u32>& in, const std::vector<u32>& how) const {
    const CUdeviceptr source = copy_of(in);
    const CUdeviceptr choice = copy_of(how);
    const CUdeviceptr target = copy_of(std::vector<u32>(in.size()));
    EXPECT_EQ(launch(function(module_, kernel.c_str()), 1, static_cast<unsigned>(in.size() / 4), 0,
                     texture, source, choice, target),
              CUDA_SUCCESS);
    const std::vector<u32> got = values_at<u32>(target, in.size());
    release(source), release(choice), release(target);
    return got;
  }

  /// Places far from the edges of the texels of each level.
  static std::vector<u32> places(std::size_t count) {
    constexpr f32 kPlaces[] = {0.02F, 0.17F, 0.33F, 0.46F, 0.59F,
                               0.71F, 0.84F, 0.97F, 1.09F, -0.1F};
    std::vector<u32> in;
    for (std::size_t i = 0; i < count; ++i) {
      in.push_back(static_cast<u32>(i % 4));
      for (const std::size_t step : {1, 3, 7})
        in.push_back(std::bit_cast<u32>(kPlaces[(i * step + i / 10) % 10]));
    }
    return in;
  }

  /// The allowed values of one level.
  Range on_level(const Image& level, const Way& way, int layer, u32 channel, const u32* coordinates,
                 int axes) const {
    Number x[3];
    for (int axis = 0; axis < 3; ++axis) x[axis] = std::bit_cast<f32>(coordinates[axis]);
    Reference reference(level, way, layer, channel);
    if (!way.linear || GetParam() != Backend::gpu)
      return {reference.at(x, axes), reference.at(x, axes)};
    const Range around = reference.around(x, axes);
    return {around.low - reference.error(axes), around.high + reference.error(axes)};
  }

  /// The numbers between those of two levels: a GPU's weight may be some last bits off.
  Range between(const Range& first, const Range& second, Number weight) const {
    const int leeway = GetParam() == Backend::gpu ? 3 : 0;
    Range made{1e30L, -1e30L};
    for (int step = -leeway; step <= leeway; ++step) {
      const Number w = std::clamp<Number>(weight + step / 256.0L, 0, 1);
      made.low = std::min(made.low, first.low + w * (second.low - first.low));
      made.high = std::max(made.high, first.high + w * (second.high - first.high));
    }
    return made;
  }

  /// Compares fetches whose levels `level_of` knows, before bias and clamps.
  template <class LevelOf>
  void compare(const std::string& name, const Pyramid& pyramid, const Way& way,
               const Chosen& chosen, const std::vector<u32>& in, const std::vector<u32>& how,
               LevelOf level_of) {
    const std::string geometry = name.substr(name.find('_') + 1);
    const CUtexObject texture = make(pyramid, way, chosen);
    const std::vector<u32> got = fetched(name, texture, in, how);
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
    const int last = static_cast<int>(pyramid.levels.size()) - 1;
    int wrong = 0;
    std::string message;
    for (std::size_t i = 0; i < got.size(); i += 4) {
      Number level = level_of(i / 4) + chosen.bias;
      level = std::clamp<Number>(level, chosen.least, std::min<Number>(chosen.most, last));
      const int layer = geometry[0] == 'a' ? static_cast<int>(in[i]) : -1;
      for (u32 channel = 0; channel < pyramid.levels[0].format.channels; ++channel) {
        const auto on = [&](int index) {
          return on_level(pyramid.levels[static_cast<std::size_t>(std::min(index, last))], way,
                          layer, channel, &in[i + 1], axes_of(geometry));
        };
        const int first = static_cast<int>(std::floor(level));
        const Number part = std::lround((level - first) * 256) / 256.0L;
        const Range want = chosen.blends ? between(on(first), on(first + 1), part)
                                         : on(static_cast<int>(std::lround(level)));
        const f32 found = std::bit_cast<f32>(got[i + channel]);
        const Number slack = 1e-9L + std::max(std::abs(want.low), std::abs(want.high)) * 4e-7L;
        ++compared_;
        if (Range{want.low - slack, want.high + slack}.distance(found) == 0) continue;
        ++wrong;
        message = fmt::format("thread {} level {} channel {}: {}, not {} to {}", i / 4,
                              double(level), channel, found, double(want.low), double(want.high));
      }
    }
    EXPECT_EQ(wrong, 0) << fmt::format("{} linear {} blends {} bias {} clamps {} {}: {}", name,
                                       way.linear, chosen.blends, chosen.bias, chosen.least,
                                       chosen.most, message);
  }

  CUmodule module_ = nullptr;
  int compared_ = 0;
};

constexpr Chosen kChoices[] = {{false},
                               {true},
                               {false, 1.25F},
                               {true, -0.5F},
                               {true, 0, 1.25F},
                               {true, 0, 0, 2.5F},
                               {false, 0, 1, 1.25F}};

/// Levels at which the nearest is not in doubt, and no clamp or bias makes it so.
constexpr f32 kLevels[] = {-2, 0, 0.125F, 1, 1.1875F, 1.9375F, 2, 2.8125F, 3, 3.3125F, 4, 7};

TEST_P(PtxTextureLevel, IsChosenByItsNumber) {
  const std::vector<u32> in = places(120);
  std::vector<u32> how;
  for (std::size_t i = 0; i < 120; ++i)
    for (const u32 word : {std::bit_cast<u32>(kLevels[i % 12]), 0U, 0U, 0U}) how.push_back(word);
  for (const std::string geometry : kGeometries) {
    const Pyramid pyramid = make_pyramid(geometry, {CU_AD_FORMAT_FLOAT, 1});
    for (const Chosen& chosen : kChoices)
      for (const bool linear : {false, true})
        compare("level_" + geometry, pyramid, {CU_TR_ADDRESS_MODE_CLAMP, true, linear}, chosen, in,
                how, [&](std::size_t thread) { return Number(kLevels[thread % 12]); });
    destroy(pyramid);
  }
  EXPECT_EQ(compared_, 5 * 7 * 2 * 120);
}

TEST_P(PtxTextureLevel, EachFormatIsFiltered) {
  const std::vector<u32> in = places(120);
  std::vector<u32> how;
  for (std::size_t i = 0; i < 120; ++i)
    for (const u32 word : {std::bit_cast<u32>(kLevels[i % 12]), 0U, 0U, 0U}) how.push_back(word);
  for (const CUarray_format channel :
       {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_HALF}) {
    const Pyramid pyramid = make_pyramid("2d", {channel, 4});
    for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR})
      compare("level_2d", pyramid, {mode, true, true}, {true}, in, how,
              [&](std::size_t thread) { return Number(kLevels[thread % 12]); });
    destroy(pyramid);
  }
  EXPECT_EQ(compared_, 3 * 2 * 120 * 4);
}

/// The default level is the first.
TEST_P(PtxTextureLevel, IsTheFirstByDefault) {
  const std::vector<u32> in = places(120);
  for (const std::string geometry : kGeometries) {
    const Pyramid pyramid = make_pyramid(geometry, {CU_AD_FORMAT_FLOAT, 1});
    for (const char* how : {"base_", "plain_"})
      compare(how + geometry, pyramid, {CU_TR_ADDRESS_MODE_CLAMP, true, true}, {true}, in,
              std::vector<u32>(480), [](std::size_t) { return Number{0}; });
    destroy(pyramid);
  }
}

/// The longer gradient is a power of two in texels, or so near to one that the nearest level is
/// not in doubt.
TEST_P(PtxTextureLevel, IsChosenByTheLongerGradient) {
  constexpr f32 kLengths[] = {0.25F, 1, 2, 2.2F, 4, 7.5F, 8, 17, 300};
  const std::vector<u32> in = places(72);
  for (const std::string geometry : kGeometries) {
    const Pyramid pyramid = make_pyramid(geometry, {CU_AD_FORMAT_FLOAT, 1});
    const f32 height = static_cast<f32>(pyramid.levels[0].height);
    std::vector<u32> how;
    for (std::size_t i = 0; i < 72; ++i) {
      const f32 length = kLengths[i % 9];
      // Along x or y, in the first or the second gradient; what is beside it is shorter.
      const bool along_x = i / 9 % 2 == 0 || axes_of(geometry) != 2;
      f32 words[] = {along_x ? length / 16 : 0, along_x ? 0 : length / height, length / 64, 0};
      if (i / 18 % 2 == 1) std::swap(words[0], words[2]), std::swap(words[1], words[3]);
      for (const f32 word : words) how.push_back(std::bit_cast<u32>(word));
    }
    for (const bool linear : {false, true})
      compare("gradients_" + geometry, pyramid, {CU_TR_ADDRESS_MODE_CLAMP, true, linear}, {false},
              in, how, [&](std::size_t thread) { return std::log2(Number(kLengths[thread % 9])); });
    destroy(pyramid);
  }
  EXPECT_EQ(compared_, 5 * 2 * 72);
}

TEST_P(PtxTextureLevel, IsFetchedByTexelIndex) {
  const Pyramid pyramid = make_pyramid("2d", {CU_AD_FORMAT_FLOAT, 1});
  const CUtexObject texture = make(pyramid, {CU_TR_ADDRESS_MODE_CLAMP, true, false}, {false});
  std::vector<u32> in;
  std::vector<u32> how;
  for (u32 level = 0; level < 5; ++level)
    for (u32 y = 0; y < 9; ++y)
      for (u32 x = 0; x < 17; x += 4)
        in.insert(in.end(), {0, x, y, 0}), how.insert(how.end(), {level, 0, 0, 0});
  const std::vector<u32> got = fetched("number_2d", texture, in, how);
  for (std::size_t i = 0; i < in.size(); i += 4) {
    const Image& level = pyramid.levels[how[i]];
    const int x = static_cast<int>(in[i + 1]);
    const int y = static_cast<int>(in[i + 2]);
    const bool is_inside = x < level.width && y < level.height;
    // A GPU reads the nearest texel if coordinates are normalized; this is not documented.
    if (!is_inside && GetParam() == Backend::gpu) continue;
    ASSERT_EQ(std::bit_cast<f32>(got[i]), is_inside ? read<f32>(level.texel(x, y, 0)) : 0)
        << "level " << how[i] << " at " << x << ", " << y;
  }
  EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
  destroy(pyramid);
}

/// A view of two levels, of which the first is level 0, also to clamps.
TEST_P(PtxTextureLevel, AViewSelectsLevels) {
  Pyramid pyramid = make_pyramid("2d", {CU_AD_FORMAT_UNSIGNED_INT32, 1});
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = CU_RES_VIEW_FORMAT_UINT_1X32;
  view.width = 16;
  view.height = 8;
  view.firstMipmapLevel = 1;
  view.lastMipmapLevel = 2;
  const CUtexObject texture =
      make(pyramid, {CU_TR_ADDRESS_MODE_CLAMP, true, false}, {false}, &view);
  const u32 x = std::bit_cast<u32>(0.6F);
  const u32 y = std::bit_cast<u32>(0.1F);
  std::vector<u32> in;
  std::vector<u32> how;
  for (const f32 level : {0, 1, 4})
    in.insert(in.end(), {0, x, y, 0}), how.insert(how.end(), {std::bit_cast<u32>(level), 0, 0, 0});
  const std::vector<u32> got = fetched("level_2d", texture, in, how);
  for (const std::size_t i : {0, 1, 2})
    EXPECT_EQ(got[4 * i], read<u32>(pyramid.levels[std::min<std::size_t>(i, 1) + 1].texel(
                              i == 0 ? 4 : 2, 0, 0)));
  // Driver 580 loads a module with such questions without the kernel that asks.
  if (GetParam() != Backend::gpu) {
    const CUdeviceptr out = copy_of(std::vector<u32>(4));
    EXPECT_EQ(launch(function(module_, "ask"), 1, 1, 0, texture, out), CUDA_SUCCESS);
    EXPECT_EQ(values_at<u32>(out, 4), (std::vector<u32>{2, 8, 4, 2}));
    release(out);
  }
  EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
  destroy(pyramid);
}

INSTANTIATE_ON_GPU_TOO(PtxTextureLevel);

}  // namespace
}  // namespace harness::testing
