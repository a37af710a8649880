// SPDX-License-Identifier: Apache-2.0
// Texture instructions for each geometry, format, mode and filter, compared with the reference.
#include <fmt/format.h>

#include "harness/device_code/tests/ptx/texture_reference.h"

namespace harness::testing {
namespace {

constexpr const char* kGeometries[] = {"1d", "2d", "3d", "a1d", "a2d"};

std::string all_kernels() {
  std::string text = kTextureHead;
  for (const char* geometry : kGeometries)
    for (const char* to : {"f32", "s32", "u32"})
      for (const char* from : {"f32", "s32"})
        text += fetch_kernel(fmt::format("fetch_{}_{}_{}", geometry, to, from),
                             fmt::format("tex.{}.v4.{}.{}", geometry, to, from), geometry);
  return text;
}

// ---- the sweep --------------------------------------------------------------------------------

/// Places that are on the border of a texel exactly, or far enough from it for any rounding.
std::vector<f32> places(bool normalized) {
  if (!normalized)
    return {-7.3F,  -1,   -0.5F,  -0.25F, 0,    0.1F,   0.25F,  0.5F, 0.75F, 1,  1.25F,
            1.498F, 2.5F, 2.998F, 3.5F,   4.5F, 4.502F, 4.999F, 5,    6.7F,  900};
  return {-2.3F, -1,     -0.77F, -0.1F, 0,     0.01F, 0.0999F, 0.1F, 0.25F, 0.34F, 0.5F,
          0.61F, 0.875F, 0.998F, 1,     1.05F, 1.26F, 1.77F,   2,    2.62F, 3.3F};
}

/// Wrong results: their number, and the worst.
struct Differences {
  int count = 0;
  Number worst = 0;
  std::string message;

  template <class Place>
  void add(f32 found, Range want, Place place) {
    const Number distance = want.distance(found);
    if (distance == 0) return;  // A NaN has no distance that is 0.
    ++count;
    if (distance <= worst) return;
    worst = distance;
    message = fmt::format("{}: {}, not {} to {}", place(), found, static_cast<double>(want.low),
                          static_cast<double>(want.high));
  }
};

class PtxTexture : public OnGpuToo<TextureStage> {
 protected:
  void SetUp() override {
    TextureStage::SetUp();
    if (library != nullptr) module_ = load(all_kernels());
  }

  CUtexObject make(const Image& image, const Way& way, unsigned flags) const {
    return make_texture(image.array, sampling_of(way, flags));
  }

  /// The numbers that a fetch may give of a channel. Ours has the reference's weights, and rounds
  /// once.
  Range allowed(const Image& image, const Way& way, int layer, u32 channel, const u32* coordinates,
                int axes) const {
    if (channel >= image.format.channels) return {0, 0};
    Number x[3];
    for (int axis = 0; axis < 3; ++axis) x[axis] = std::bit_cast<f32>(coordinates[axis]);
    Reference reference(image, way, layer, channel);
    const bool has_leeway = way.linear && GetParam() == Backend::gpu;
    const Range made = has_leeway ? reference.around(x, axes)
                                  : Range{reference.at(x, axes), reference.at(x, axes)};
    const Number error = (has_leeway ? reference.error(axes) : 0) + 5e-8L;  // A color is an f32.
    return {made.low - std::abs(made.low) * 2e-7L - error,
            made.high + std::abs(made.high) * 2e-7L + error};
  }

  /// Compares what a texture of numbers gives with the reference.
  void check_numbers(const std::string& geometry, const Image& image, const Way& way) {
    const std::vector<f32> all = places(way.normalized);
    const bool is_layered = geometry[0] == 'a';
    const int axes = axes_of(geometry);
    std::vector<u32> in;
    for (std::size_t i = 0; i < all.size() * 3; ++i) {
      in.push_back(static_cast<u32>(i % 6));
      for (const std::size_t step : {1, 7, 11})
        in.push_back(std::bit_cast<u32>(all[(i * step + step) % all.size()]));
    }
    const CUtexObject texture = make(image, way, 0);
    const std::vector<u32> got = fetched(module_, "fetch_" + geometry + "_f32_f32", texture, in);
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
    std::array<Differences, 4> differences;  // One for each channel.
    for (std::size_t i = 0; i < in.size(); i += 4) {
      const int layer = is_layered ? static_cast<int>(in[i]) : -1;
      for (u32 channel = 0; channel < 4; ++channel) {
        const f32 found = std::bit_cast<f32>(got[i + channel]);
        differences[channel].add(found, allowed(image, way, layer, channel, &in[i + 1], axes), [&] {
          return fmt::format("{}, {}, {} layer {}", std::bit_cast<f32>(in[i + 1]),
                             std::bit_cast<f32>(in[i + 2]), std::bit_cast<f32>(in[i + 3]), layer);
        });
      }
      ++compared_;
    }
    std::string message;
    for (std::size_t channel = 0; channel < 4; ++channel)
      if (const Differences& one = differences[channel]; one.count != 0)
        message += fmt::format("\n  channel {}: {} wrong, the worst at {}", channel, one.count,
                               one.message);
    if (!message.empty())
      ADD_FAILURE() << fmt::format(
          "{} mode {} normalized {} linear {} format {} x {}, {} fetches:{}", geometry,
          int{way.mode}, way.normalized, way.linear, int{image.format.channel},
          image.format.channels, got.size() / 4, message);
  }

  /// A GPU filters one dimension as two, of which the second is half outside: half of the number is
  /// the border's. No document says so, and the simulated driver does not.
  bool blends_otherwise(const std::string& geometry, CUaddress_mode mode, bool linear) const {
    return GetParam() == Backend::gpu && geometry == "1d" && mode == CU_TR_ADDRESS_MODE_BORDER &&
           linear;
  }

  void check_numbers_in_all_ways(const std::string& geometry, Format format) {
    const Image image = make_image(geometry, format);
    for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                      CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER})
      for (const bool normalized : {false, true})
        for (const bool linear : {false, true})
          if (!blends_otherwise(geometry, mode, linear))
            check_numbers(geometry, image, {mode, normalized, linear});
    destroy(image);
  }

  /// Compares what a texture gives as integers, of texels inside and around, by a number or by a
  /// place. A GPU asks by number without regard to the mode: what is outside is 0.
  void check_integers(Format format, bool by_number, CUaddress_mode mode) const {
    const Image image = make_image("2d", format);
    const CUtexObject texture = make(image, {mode, false, false}, CU_TRSF_READ_AS_INTEGER);
    std::vector<u32> in;
    for (int y = -2; y < 5; ++y)
      for (int x = -2; x < 8; ++x)
        for (const int word : {0, x, y, 0})
          in.push_back(by_number ? static_cast<u32>(word)
                                 : std::bit_cast<u32>(static_cast<f32>(word) + 0.75F));
    const std::string kernel =
        fmt::format("fetch_2d_{}32_{}32", format.channels == 2 ? 's' : 'u', by_number ? 's' : 'f');
    const std::vector<u32> got = fetched(module_, kernel, texture, in);
    std::string message;
    for (std::size_t i = 0; i < in.size(); i += 4)
      for (u32 c = 0; c < 4; ++c) {
        const int x = static_cast<int>(i / 4 % 10) - 2;
        const int y = static_cast<int>(i / 40) - 2;
        const u32 want =
            integer_around(image, x, y, c, by_number ? CU_TR_ADDRESS_MODE_BORDER : mode,
                           by_number ? 0 : integer_border(format.channel, c));
        if (got[i + c] != want && message.size() < 200)
          message += fmt::format("\n  at {}, {} channel {} is {:#x}, not {:#x}", x, y, c,
                                 got[i + c], want);
      }
    if (!message.empty())
      ADD_FAILURE() << fmt::format("{} mode {} format {} x {}:{}", kernel, int{mode},
                                   int{format.channel}, format.channels, message);
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
    destroy(image);
  }

  CUmodule module_ = nullptr;
  int compared_ = 0;
};

TEST_P(PtxTexture, EachFormatIsFilteredAsDocumented) {
  for (const CUarray_format channel :
       {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
        CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT})
    for (const u32 channels : {1, 2, 4}) check_numbers_in_all_ways("2d", {channel, channels});
  EXPECT_EQ(compared_, 6 * 3 * 16 * 63);
}

TEST_P(PtxTexture, EachGeometryIsReadAsDocumented) {
  for (const char* geometry : kGeometries)
    for (const Format format : {Format{CU_AD_FORMAT_FLOAT, 1}, Format{CU_AD_FORMAT_SIGNED_INT8, 4}})
      check_numbers_in_all_ways(geometry, format);
  const int left_out = GetParam() == Backend::gpu ? 2 * 2 * 63 : 0;
  EXPECT_EQ(compared_, 5 * 2 * 16 * 63 - left_out);
}

/// Integers as they are, by a place and by a number.
TEST_P(PtxTexture, IntegersAreReadUnchanged) {
  for (const CUarray_format channel :
       {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
        CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32})
    for (const u32 channels : {1, 2, 4})
      for (const bool by_number : {true, false})
        for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER})
          check_integers({channel, channels}, by_number, mode);
}

/// The guide has 8 bits for a fraction, and does not say how the rest goes.
TEST_P(PtxTexture, AWeightIsRoundedToEightBits) {
  const Image image = make_image("1d", {CU_AD_FORMAT_FLOAT, 1});
  const CUtexObject texture = make(image, {CU_TR_ADDRESS_MODE_CLAMP, false, true}, 0);
  constexpr std::size_t kCount = 1024;
  std::vector<u32> in;
  for (std::size_t i = 0; i < kCount; ++i)
    for (const u32 word : {0U, std::bit_cast<u32>(1.5F + static_cast<f32>(i) / kCount), 0U, 0U})
      in.push_back(word);
  const std::vector<u32> got = fetched(module_, "fetch_1d_f32_f32", texture, in);
  const Number first = number_at(CU_AD_FORMAT_FLOAT, image.texel(1, 0, 0));
  const Number second = number_at(CU_AD_FORMAT_FLOAT, image.texel(2, 0, 0));
  int cut = 0;
  int nearest = 0;
  std::string others;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Number weight = 256 * (std::bit_cast<f32>(got[4 * i]) - first) / (second - first);
    const Number fraction = Number(i) * 256 / kCount;
    if (std::abs(weight - std::floor(fraction)) < 0.01L) ++cut;
    if (std::abs(weight - std::floor(fraction + 0.5L)) < 0.01L)
      ++nearest;
    else if (others.size() < 200)
      others += fmt::format("\n  {} is {}", double(fraction), double(weight));
  }
  EXPECT_EQ(nearest, int{kCount}) << cut << " are cut" << others;
}

TEST_P(PtxTexture, ANanCoordinateReadsTheFirstTexel) {
  const Image image = make_image("1d", {CU_AD_FORMAT_UNSIGNED_INT32, 1});
  const CUtexObject texture = make(image, {CU_TR_ADDRESS_MODE_CLAMP, false, false}, 0);
  const std::vector<u32> got =
      fetched(module_, "fetch_1d_u32_f32", texture, {0, 0x7fc00000, 0, 0, 0, 0x7f800000, 0, 0});
  EXPECT_EQ(got[0], read<u32>(image.texel(0, 0, 0)));
  EXPECT_EQ(got[4], read<u32>(image.texel(4, 0, 0)));
}

/// A view of two layers of four, as cuda.h describes it: with the array's extents. Others are made
/// to tell what a GPU wants that does not take it.
std::vector<CUDA_RESOURCE_VIEW_DESC> views_of_layers() {
  std::vector<CUDA_RESOURCE_VIEW_DESC> made;
  for (const std::size_t depth : {4, 0, 1, 2})
    for (const std::size_t height : {0, 1})
      for (const CUresourceViewFormat format :
           {CU_RES_VIEW_FORMAT_UINT_1X32, CU_RES_VIEW_FORMAT_NONE}) {
        CUDA_RESOURCE_VIEW_DESC view{};
        view.format = format;
        view.width = 5;
        view.height = height;
        view.depth = depth;
        view.firstLayer = 1;
        view.lastLayer = 2;
        made.push_back(view);
      }
  return made;
}

TEST_P(PtxTexture, AViewSelectsLayers) {
  const Image image = make_image("a1d", {CU_AD_FORMAT_UNSIGNED_INT32, 1});
  CUDA_RESOURCE_DESC resource{};
  resource.res.array.hArray = image.array;
  const CUDA_TEXTURE_DESC sampling{};
  CUtexObject texture = 0;
  std::string others;
  for (const CUDA_RESOURCE_VIEW_DESC& view : views_of_layers()) {
    const CUresult status = AFTERLIFE_CU(cuTexObjectCreate)(&texture, &resource, &sampling, &view);
    if (status == CUDA_SUCCESS) break;
    others += fmt::format("\n  format {} height {} depth {} is refused: {}", int{view.format},
                          view.height, view.depth, int{status});
  }
  EXPECT_EQ(others, "") << "the next was taken, if there was one";
  ASSERT_NE(texture, 0u);
  const u32 x = std::bit_cast<u32>(3.5F);
  const std::vector<u32> got =
      fetched(module_, "fetch_a1d_u32_f32", texture, {0, x, 0, 0, 1, x, 0, 0, 9, x, 0, 0});
  for (const int i : {0, 1, 2})
    EXPECT_EQ(got[static_cast<std::size_t>(4 * i)],
              read<u32>(image.texel(3, 0, std::min(i + 1, 2))));
}

INSTANTIATE_ON_GPU_TOO(PtxTexture);

}  // namespace
}  // namespace harness::testing
