// SPDX-License-Identifier: Apache-2.0
// Cubemaps: fetches and gathers by direction, for each face, format and filter, within faces and
// across their edges, compared with a reference; and surfaces of their faces.
#include <fmt/format.h>

#include "harness/device_code/tests/ptx/texture_reference.h"

namespace harness::testing {
namespace {

constexpr const char* kGeometries[] = {"cube", "acube"};

std::string all_kernels() {
  std::string text = kTextureHead;
  for (const std::string geometry : kGeometries) {
    for (const char* type : {"f32", "s32", "u32"})
      text += fetch_kernel(fmt::format("fetch_{}_{}", geometry, type),
                           fmt::format("tex.{}.v4.{}.f32", geometry, type), geometry);
    text += fetch_kernel("level_" + geometry, fmt::format("tex.level.{}.v4.f32.f32", geometry),
                         geometry, ", 0f00000000");
    text += fetch_kernel("half_" + geometry, fmt::format("tex.level.{}.v4.f32.f32", geometry),
                         geometry, ", 0f3F800000");
    text +=
        fetch_kernel("gather_" + geometry, fmt::format("tld4.g.{}.v4.f32.f32", geometry), geometry);
  }
  return text +
         ".visible .entry add_faces(.param .u64 surface)\n{\n"
         ".reg .b64 %s; .reg .b32 %l, %x, %v;\n"
         "ld.param.u64 %s, [surface]; mov.u32 %l, %ctaid.x; mov.u32 %x, %tid.x;\n"
         "shl.b32 %x, %x, 2;\n"
         "suld.b.a2d.b32.trap {%v}, [%s, {%l, %x, %l, %l}];\n"
         "add.u32 %v, %v, %l;\n"
         "sust.b.a2d.b32.trap [%s, {%l, %x, 0, 0}], {%v};\nret;\n}\n";
}

// ---- the reference ----------------------------------------------------------------------------

/// A direction, or a place in a cube whose faces are 1 from its middle.
using Vector = std::array<Number, 3>;

Number product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector sum(const Vector& a, const Vector& b, Number by) {
  return {a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]};
}
Number squared_distance(const Vector& a, const Vector& b) {
  const Vector between = sum(a, b, -1);
  return product(between, between);
}

/// A face: where its middle is, and the directions of s and t: the rows of the guide's table.
struct Face {
  Vector middle, s, t;
};
constexpr Face kFaces[] = {
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
    {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};

/// Returns the direction for coordinates from -1 to 1 on a face, also beyond its edges.
Vector place_of(int face, Number s, Number t) {
  return sum(sum(kFaces[face].middle, kFaces[face].s, s), kFaces[face].t, t);
}
Vector middle_of(int face, int x, int y, int extent) {
  return place_of(face, (2 * x + Number{1}) / extent - 1, (2 * y + Number{1}) / extent - 1);
}

struct Texel {
  int face, x, y;
};

/// Returns the texel of another face that is nearest to the position of one beyond this face.
Texel neighbour(const Texel& beyond, int extent) {
  const Vector at = middle_of(beyond.face, beyond.x, beyond.y, extent);
  Texel nearest{};
  Number least = 1e9L;
  for (int face = 0; face < 6; ++face)
    for (int y = 0; y < extent; ++y)
      for (int x = 0; x < extent; ++x) {
        const Number distance = squared_distance(at, middle_of(face, x, y, extent));
        if (face == beyond.face || distance >= least) continue;
        least = distance;
        nearest = {face, x, y};
      }
  return nearest;
}

/// Where a thread looks: a face and its coordinates, in texels.
struct Look {
  int face;
  Number x, y;
};

class CubeReference {
 public:
  CubeReference(const Image& image, int layer, u32 channel, bool seamless)
      : image_(image),
        layer_(std::min(layer, image.depth / 6 - 1)),
        channel_(channel),
        seamless_(seamless) {}

  /// Returns whether a filter there wants a texel beyond a corner, of which no document says
  /// enough.
  static bool is_at_corner(const Look& at, int extent) {
    const auto is_near = [extent](Number x) { return x < 0.51L || x > extent - 0.51L; };
    return is_near(at.x) && is_near(at.y);
  }

  Number texel(Texel at) const {
    const int last = image_.width - 1;
    const bool x_outside = at.x < 0 || at.x > last;
    const bool y_outside = at.y < 0 || at.y > last;
    if (seamless_ && x_outside && y_outside) return corner(at);
    if (seamless_ && (x_outside || y_outside)) at = neighbour(at, image_.width);
    at.x = std::clamp(at.x, 0, last);
    at.y = std::clamp(at.y, 0, last);
    return number_at(image_.format.channel,
                     image_.texel(at.x, at.y, 6 * layer_ + at.face) +
                         std::size_t{channel_} * image_.format.channel_bytes());
  }
  Number nearest(const Look& at) const {
    return texel({at.face, static_cast<int>(std::floor(at.x)), static_cast<int>(std::floor(at.y))});
  }
  /// The filtered number, whose weights are this many last bits off.
  Number filtered(const Look& at, int x_steps, int y_steps) const {
    const auto [x, x_weight] = parted(at.x, x_steps);
    const auto [y, y_weight] = parted(at.y, y_steps);
    Number made = 0;
    for (int i = 0; i < 4; ++i) {
      const Number weight =
          (i % 2 == 0 ? 1 - x_weight : x_weight) * (i / 2 == 0 ? 1 - y_weight : y_weight);
      if (weight != 0) made += weight * texel({at.face, x + i % 2, y + i / 2});
    }
    return made;
  }
  /// A GPU divides and multiplies before there is a weight: three of its last bits.
  Range around(const Look& at, bool has_leeway) const {
    Range made{filtered(at, 0, 0), filtered(at, 0, 0)};
    for (int i = 0; has_leeway && i < 49; ++i) {
      const Number value = filtered(at, i % 7 - 3, i / 7 - 3);
      made = {std::min(made.low, value), std::max(made.high, value)};
    }
    return made;
  }

 private:
  /// Returns the mean of the three texels at a corner, in place of the missing fourth one.
  Number corner(const Texel& beyond) const {
    const int last = image_.width - 1;
    const int x = std::clamp(beyond.x, 0, last);
    const int y = std::clamp(beyond.y, 0, last);
    return (texel({beyond.face, x, y}) + texel({beyond.face, beyond.x, y}) +
            texel({beyond.face, x, beyond.y})) /
           3;
  }
  static std::pair<int, Number> parted(Number x, int steps) {
    const Number low = x - 0.5L + steps / 256.0L;
    return {static_cast<int>(std::floor(low)),
            Number(std::lround((low - std::floor(low)) * 256)) / 256};
  }

  const Image& image_;
  int layer_;
  u32 channel_;
  bool seamless_;
};

// ---- the sweep --------------------------------------------------------------------------------

class PtxTextureCube : public OnGpuToo<TextureStage> {
 protected:
  void SetUp() override {
    TextureStage::SetUp();
    if (library == nullptr) return;
    module_ = load(all_kernels());
    // Far from the edges and middles of texels, but for the middles themselves.
    for (int face = 0; face < 6; ++face)
      for (const Number x : {0.2L, 0.8L, 1.5L, 2.3L, 3.1L, 3.9L})
        for (const Number y : {0.1L, 0.7L, 1.5L, 2.8L, 3.3L, 3.8L}) looks_.push_back({face, x, y});
  }

  /// The directions of all fetches, with different lengths.
  std::vector<u32> directions() const {
    std::vector<u32> in;
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      const Look& at = looks_[i];
      const Vector to = place_of(at.face, at.x / 2 - 1, at.y / 2 - 1);
      in.push_back(static_cast<u32>(i % 4));
      for (const Number part : to)
        in.push_back(std::bit_cast<u32>(static_cast<f32>(part * (0.25L + Number(i % 5)))));
    }
    return in;
  }

  std::vector<u32> fetched(const std::string& kernel, const Image& image, CUfilter_mode filter,
                           unsigned flags) const {
    CUDA_TEXTURE_DESC sampling{};
    for (CUaddress_mode& mode : sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    sampling.filterMode = filter;
    sampling.flags = flags | CU_TRSF_NORMALIZED_COORDINATES;
    const CUtexObject texture = make_texture(image.array, sampling);
    const std::vector<u32> got = TextureStage::fetched(module_, kernel, texture, directions());
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
    return got;
  }

  static int layer_of(const std::string& geometry, std::size_t look) {
    return geometry == "acube" ? static_cast<int>(look % 4) : 0;
  }

  /// Compares numbers with what `allowed` makes of a look, unless that says nothing.
  template <class Allowed>
  void compare(const std::string& what, const Image& image, const std::vector<u32>& got,
               Allowed allowed) {
    int wrong = 0;
    std::string message;
    const Number error =
        GetParam() == Backend::gpu ? Reference(image, {}, 0, 0).error(2) : Number{0};
    for (std::size_t i = 0; i < got.size(); ++i) {
      Range want{0, 0};
      if (!allowed(i / 4, i % 4, want)) continue;
      ++compared_;
      const f32 found = std::bit_cast<f32>(got[i]);
      const Number slack =
          1e-9L + error + std::max(std::abs(want.low), std::abs(want.high)) * 2e-7L;
      if (Range{want.low - slack, want.high + slack}.distance(found) == 0) continue;
      const Look& at = looks_[i / 4];
      ++wrong;
      message = fmt::format("face {} at {}, {} channel {}: {}, not {} to {}", at.face, double(at.x),
                            double(at.y), i % 4, found, double(want.low), double(want.high));
    }
    EXPECT_EQ(wrong, 0) << fmt::format("{} format {} x {}: {}", what, int{image.format.channel},
                                       image.format.channels, message);
  }

  void check(const std::string& geometry, Format format, const char* way) {
    const Image image = make_image(geometry, format);
    const bool seamless = way == std::string_view("seamless");
    const auto reference = [&](std::size_t look, std::size_t channel) {
      return CubeReference(image, layer_of(geometry, look), static_cast<u32>(channel), seamless);
    };
    const unsigned flags = seamless ? CU_TRSF_SEAMLESS_CUBEMAP : 0;
    compare("nearest " + geometry, image,
            fetched("fetch_" + geometry + "_f32", image, CU_TR_FILTER_MODE_POINT, flags),
            [&](std::size_t look, std::size_t channel, Range& want) {
              if (channel < format.channels)
                want.low = want.high = reference(look, channel).nearest(looks_[look]);
              return true;
            });
    const bool has_leeway = GetParam() == Backend::gpu;
    compare(fmt::format("filtered {} {}", way, geometry), image,
            fetched("level_" + geometry, image, CU_TR_FILTER_MODE_LINEAR, flags),
            [&](std::size_t look, std::size_t channel, Range& want) {
              if (channel < format.channels)
                want = reference(look, channel).around(looks_[look], has_leeway);
              return !seamless || !CubeReference::is_at_corner(looks_[look], image.width);
            });
    destroy(image);
  }

  std::vector<Look> looks_;
  CUmodule module_ = nullptr;
  int compared_ = 0;
};

constexpr Format kFormats[] = {{CU_AD_FORMAT_FLOAT, 1},
                               {CU_AD_FORMAT_FLOAT, 4},
                               {CU_AD_FORMAT_HALF, 2},
                               {CU_AD_FORMAT_UNSIGNED_INT8, 4},
                               {CU_AD_FORMAT_SIGNED_INT16, 2}};

TEST_P(PtxTextureCube, IsReadWithinFaces) {
  for (const char* geometry : kGeometries)
    for (const Format format : kFormats) check(geometry, format, "clamped");
  EXPECT_EQ(compared_, 2 * 5 * 2 * 216 * 4);
}

TEST_P(PtxTextureCube, IsReadAcrossEdges) {
  for (const char* geometry : kGeometries)
    for (const Format format : kFormats) check(geometry, format, "seamless");
  EXPECT_EQ(compared_, 2 * 5 * (216 + 6 * (36 - 4)) * 4);
}

/// Not documented: graphics APIs define it so.
TEST_P(PtxTextureCube, ACornerTexelIsTheMeanOfThree) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "no document says what a GPU does";
  const Image image = make_image("cube", {CU_AD_FORMAT_FLOAT, 1});
  compare("corners", image,
          fetched("fetch_cube_f32", image, CU_TR_FILTER_MODE_LINEAR, CU_TRSF_SEAMLESS_CUBEMAP),
          [&](std::size_t look, std::size_t channel, Range& want) {
            const Look& at = looks_[look];
            if (channel == 0) want = CubeReference(image, 0, 0, true).around(at, false);
            return CubeReference::is_at_corner(at, image.width);
          });
  EXPECT_EQ(compared_, 6 * 4 * 4);
  destroy(image);
}

TEST_P(PtxTextureCube, IntegersAreReadUnchanged) {
  for (const std::string geometry : kGeometries)
    for (const Format format :
         {Format{CU_AD_FORMAT_UNSIGNED_INT32, 1}, Format{CU_AD_FORMAT_SIGNED_INT8, 4}}) {
      const Image image = make_image(geometry, format);
      const std::string type = format.channels == 1 ? "u32" : "s32";
      const std::vector<u32> got = fetched(fmt::format("fetch_{}_{}", geometry, type), image,
                                           CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);
      for (std::size_t look = 0; look < looks_.size(); ++look)
        for (std::size_t channel = 0; channel < format.channels; ++channel) {
          const Look& at = looks_[look];
          const int layer = std::min(layer_of(geometry, look), image.depth / 6 - 1);
          const u8* from =
              image.texel(static_cast<int>(at.x), static_cast<int>(at.y), 6 * layer + at.face) +
              channel * format.channel_bytes();
          ASSERT_EQ(got[4 * look + channel], static_cast<u32>(integer_at(format.channel, from)))
              << geometry << " look " << look;
        }
      destroy(image);
    }
}

/// The second channel of four texels, counterclockwise from the lower left one.
TEST_P(PtxTextureCube, IsGathered) {
  for (const std::string geometry : kGeometries)
    for (const bool seamless : {false, true}) {
      const Image image = make_image(geometry, {CU_AD_FORMAT_FLOAT, 2});
      compare("gathered " + geometry, image,
              fetched("gather_" + geometry, image, CU_TR_FILTER_MODE_LINEAR,
                      seamless ? CU_TRSF_SEAMLESS_CUBEMAP : 0),
              [&](std::size_t look, std::size_t corner, Range& want) {
                constexpr int kSteps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
                const Look& at = looks_[look];
                if (at.x == 1.5L || at.y == 1.5L) return false;  // Exactly between two of them.
                if (seamless && CubeReference::is_at_corner(at, image.width)) return false;
                const auto [x, y] = kSteps[corner];
                want.low = want.high =
                    CubeReference(image, layer_of(geometry, look), 1, seamless)
                        .texel({at.face, static_cast<int>(std::floor(at.x - 0.5L)) + x,
                                static_cast<int>(std::floor(at.y - 0.5L)) + y});
                return true;
              });
      destroy(image);
    }
  EXPECT_EQ(compared_, 2 * 6 * (25 + 25 - 4) * 4);
}

/// Level 1 has half of the texels along each face.
TEST_P(PtxTextureCube, HasLevels) {
  for (const std::string geometry : kGeometries) {
    CUDA_ARRAY3D_DESCRIPTOR shape{4, 4, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
    if (geometry == "acube") shape.Depth = 12, shape.Flags |= CUDA_ARRAY3D_LAYERED;
    CUmipmappedArray whole = nullptr;
    ASSERT_EQ(AFTERLIFE_CU(cuMipmappedArrayCreate)(&whole, &shape, 2), CUDA_SUCCESS);
    CUarray level = nullptr;
    ASSERT_EQ(AFTERLIFE_CU(cuMipmappedArrayGetLevel)(&level, whole, 1), CUDA_SUCCESS);
    shape.Width = shape.Height = 2;
    const Image image = filled(level, shape);
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = whole;
    CUDA_TEXTURE_DESC sampling{};
    sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
    sampling.maxMipmapLevelClamp = 1;
    CUtexObject texture = 0;
    ASSERT_EQ(AFTERLIFE_CU(cuTexObjectCreate)(&texture, &resource, &sampling, nullptr),
              CUDA_SUCCESS);
    compare("level 1 of " + geometry, image,
            TextureStage::fetched(module_, "half_" + geometry, texture, directions()),
            [&](std::size_t look, std::size_t channel, Range& want) {
              const Look& at = looks_[look];
              const CubeReference reference(image, layer_of(geometry, look), 0, false);
              if (channel == 0)
                want.low = want.high = reference.nearest({at.face, at.x / 2, at.y / 2});
              return true;
            });
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
    EXPECT_EQ(AFTERLIFE_CU(cuMipmappedArrayDestroy)(whole), CUDA_SUCCESS);
  }
  EXPECT_EQ(compared_, 2 * 216 * 4);
}

/// Each face is a layer of a surface.
TEST_P(PtxTextureCube, FacesAreLayersOfASurface) {
  Image image = make_image("acube", {CU_AD_FORMAT_UNSIGNED_INT32, 1}, CUDA_ARRAY3D_SURFACE_LDST);
  const CUsurfObject surface = make_surface(image.array);
  ASSERT_EQ(launch(function(module_, "add_faces"), 4, 4, 0, surface), CUDA_SUCCESS);
  for (int face = 0; face < 4; ++face)
    for (int x = 0; x < 4; ++x) {
      const u32 made = read<u32>(image.texel(x, face, face)) + static_cast<u32>(face);
      std::memcpy(const_cast<u8*>(image.texel(x, 0, face)), &made, 4);
    }
  EXPECT_EQ(bytes_in(image), image.bytes);
  EXPECT_EQ(AFTERLIFE_CU(cuSurfObjectDestroy)(surface), CUDA_SUCCESS);
  destroy(image);
}

INSTANTIATE_ON_GPU_TOO(PtxTextureCube);

}  // namespace
}  // namespace harness::testing
