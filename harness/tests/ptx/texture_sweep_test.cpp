// Texture instructions of each geometry, format, mode and filter, beside a reference that is
// written from the formulas of the programming guide, *Texture fetching*.
#include <fmt/format.h>

#include "harness/tests/ptx/halves.h"
#include "harness/tests/ptx/texture_stage.h"

namespace harness::testing {
namespace {

constexpr const char* kHead = ".version 8.3\n.target sm_80\n.address_size 64\n";
constexpr const char* kGeometries[] = {"1d", "2d", "3d", "a1d", "a2d"};

std::string coordinates_of(const std::string& geometry) {
  if (geometry == "1d") return "{%x}";
  if (geometry == "2d") return "{%x, %y}";
  if (geometry == "3d") return "{%x, %y, %z, %z}";
  return geometry == "a1d" ? "{%l, %x}" : "{%l, %x, %y, %y}";
}

/// Each thread fetches at a layer and three coordinates of its own.
std::string fetch_kernel(const std::string& geometry, const char* to, const char* from) {
  return fmt::format(
      ".visible .entry fetch_{0}_{1}_{2}(.param .u64 texture, .param .u64 in, .param .u64 "
      "out)\n{{\n"
      ".reg .b64 %t, %in, %out, %i; .reg .b32 %l, %x, %y, %z, %a, %b, %c, %d;\n"
      "ld.param.u64 %t, [texture]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
      "mov.u32 %x, %tid.x; mul.wide.u32 %i, %x, 16; add.s64 %in, %in, %i; add.s64 %out, %out, %i;\n"
      "ld.global.v4.u32 {{%l, %x, %y, %z}}, [%in];\n"
      "tex.{0}.v4.{1}.{2} {{%a, %b, %c, %d}}, [%t, {3}];\n"
      "st.global.v4.u32 [%out], {{%a, %b, %c, %d}};\nret;\n}}\n",
      geometry, to, from, coordinates_of(geometry));
}

std::string all_kernels() {
  std::string text = kHead;
  for (const char* geometry : kGeometries)
    for (const char* to : {"f32", "s32", "u32"})
      for (const char* from : {"f32", "s32"}) text += fetch_kernel(geometry, to, from);
  return text;
}

// ---- the reference ----------------------------------------------------------------------------

using Number = long double;

template <class T>
T read(const u8* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// A channel as an integer.
s64 integer_at(CUarray_format channel, const u8* from) {
  switch (channel) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return read<u8>(from);
    case CU_AD_FORMAT_SIGNED_INT8:
      return read<s8>(from);
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return read<u16>(from);
    case CU_AD_FORMAT_SIGNED_INT16:
      return read<s16>(from);
    case CU_AD_FORMAT_UNSIGNED_INT32:
      return read<u32>(from);
    default:
      return read<s32>(from);
  }
}

/// The largest integer of a type, which is read as 1.
Number largest(CUarray_format channel) {
  switch (channel) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return 255;
    case CU_AD_FORMAT_SIGNED_INT8:
      return 127;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return 65535;
    default:
      return 32767;
  }
}

Number number_at(CUarray_format channel, const u8* from) {
  if (channel == CU_AD_FORMAT_FLOAT) return read<f32>(from);
  if (channel == CU_AD_FORMAT_HALF) return number(half{read<u16>(from)});
  return std::max<Number>(Number(integer_at(channel, from)) / largest(channel), -1);
}

struct Way {
  CUaddress_mode mode;
  bool normalized;
  bool linear;
};

/// A texel's place along an axis, step by step; -1 for the border.
int place(int i, int extent, CUaddress_mode mode, bool normalized) {
  if (i >= 0 && i < extent) return i;
  if (mode == CU_TR_ADDRESS_MODE_BORDER) return -1;
  if (!normalized || mode == CU_TR_ADDRESS_MODE_CLAMP) return i < 0 ? 0 : extent - 1;
  if (mode == CU_TR_ADDRESS_MODE_WRAP)
    return place(i < 0 ? i + extent : i - extent, extent, mode, true);
  return place(i < 0 ? -1 - i : 2 * extent - 1 - i, extent, mode, true);
}

/// The texel that stands for those outside.
constexpr f32 kBorder[4] = {0.25F, -3, 7, 0.5F};

/// Says what a fetch gives of one channel: nested sums, one axis in the other.
class Reference {
 public:
  /// `layer` is -1 where there are no layers.
  Reference(const Image& image, Way way, int layer, u32 channel)
      : image_(image), way_(way), layer_(layer), channel_(channel) {}

  Number at(const Number* x, int axes) { return along(axes - 1, x); }

 private:
  Number along(int axis, const Number* x) {
    if (axis < 0) return texel();
    const int extents[] = {image_.width, image_.height, image_.depth};
    const Number scaled = x[axis] * (way_.normalized ? extents[axis] : 1);
    const Number low = way_.linear ? scaled - 0.5L : scaled;
    const int first = static_cast<int>(std::floor(low));
    const Number weight =
        way_.linear ? Number(std::lround((low - std::floor(low)) * 256)) / 256 : 0;
    Number sum = 0;
    for (int i = 0; i < 2; ++i) {
      index_[axis] = place(first + i, extents[axis], way_.mode, way_.normalized);
      const Number share = i == 0 ? 1 - weight : weight;
      if (share != 0) sum += share * along(axis - 1, x);
    }
    return sum;
  }
  Number texel() const {
    const int z = layer_ >= 0 ? std::min(layer_, image_.depth - 1) : index_[2];
    if (index_[0] < 0 || index_[1] < 0 || z < 0) return kBorder[channel_];
    return number_at(image_.format.channel, image_.texel(index_[0], index_[1], z) +
                                                channel_ * image_.format.channel_bytes());
  }

  const Image& image_;
  Way way_;
  int layer_;
  u32 channel_;
  int index_[3] = {0, 0, 0};
};

// ---- the sweep --------------------------------------------------------------------------------

std::vector<f32> places(bool normalized) {
  if (!normalized)
    return {-7.3F,  -1,   -0.5F,  -0.25F, 0,    0.1F,   0.25F,  0.5F, 0.75F, 1,  1.25F,
            1.498F, 2.5F, 2.998F, 3.5F,   4.5F, 4.502F, 4.999F, 5,    6.7F,  900};
  return {-2.3F, -1,     -0.77F, -0.1F, 0,     0.01F, 0.0999F, 0.1F, 0.25F, 1.0F / 3, 0.5F,
          0.6F,  0.875F, 0.998F, 1,     1.05F, 1.25F, 1.75F,   2,    2.6F,  3.3F};
}

class PtxTexture : public OnGpuToo<TextureStage> {
 protected:
  void SetUp() override {
    TextureStage::SetUp();
    if (library != nullptr) module_ = load(all_kernels());
  }

  /// The words that each thread gets.
  std::vector<u32> fetched(const std::string& kernel, CUtexObject texture,
                           const std::vector<u32>& in) const {
    const CUdeviceptr source = copy_of(in);
    const CUdeviceptr target = copy_of(std::vector<u32>(in.size()));
    EXPECT_EQ(launch(function(module_, kernel.c_str()), 1, static_cast<unsigned>(in.size() / 4), 0,
                     texture, source, target),
              CUDA_SUCCESS);
    const std::vector<u32> got = values_at<u32>(target, in.size());
    release(source), release(target);
    return got;
  }

  CUtexObject make(const Image& image, const Way& way, unsigned flags) const {
    CUDA_TEXTURE_DESC sampling{};
    for (CUaddress_mode& mode : sampling.addressMode) mode = way.mode;
    sampling.filterMode = way.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    sampling.flags = flags | (way.normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0);
    std::copy_n(kBorder, 4, sampling.borderColor);
    return make_texture(image.array, sampling);
  }

  /// Compares what a texture of numbers gives with the reference.
  void check_numbers(const std::string& geometry, const Image& image, const Way& way) {
    const std::vector<f32> all = places(way.normalized);
    const bool is_layered = geometry[0] == 'a';
    const int axes = geometry[geometry.size() - 2] - '0';
    std::vector<u32> in;
    for (std::size_t i = 0; i < all.size() * 3; ++i) {
      in.push_back(static_cast<u32>(i % 6));
      for (const std::size_t step : {1, 7, 11})
        in.push_back(std::bit_cast<u32>(all[(i * step + step) % all.size()]));
    }
    const CUtexObject texture = make(image, way, 0);
    const std::vector<u32> got = fetched("fetch_" + geometry + "_f32_f32", texture, in);
    EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
    for (std::size_t i = 0; i < in.size(); i += 4) {
      Number x[3];
      for (int axis = 0; axis < 3; ++axis) x[axis] = std::bit_cast<f32>(in[i + 1 + axis]);
      const int layer = is_layered ? static_cast<int>(in[i]) : -1;
      for (u32 channel = 0; channel < 4; ++channel) {
        const Number want = channel < image.format.channels
                                ? Reference(image, way, layer, channel).at(x, axes)
                            : channel == 3 ? 1
                                           : 0;
        const f32 found = std::bit_cast<f32>(got[i + channel]);
        ASSERT_NEAR(found, want, std::abs(want) * 2e-7L + 1e-9L)
            << geometry << " mode " << way.mode << " normalized " << way.normalized << " linear "
            << way.linear << " format " << image.format.channel << " at " << double(x[0]) << ", "
            << double(x[1]) << ", " << double(x[2]) << " channel " << channel;
      }
      ++compared_;
    }
  }

  void check_numbers_in_all_ways(const std::string& geometry, Format format) {
    const Image image = make_image(geometry, format);
    for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                      CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER})
      for (const bool normalized : {false, true})
        for (const bool linear : {false, true}) {
          check_numbers(geometry, image, {mode, normalized, linear});
          if (HasFatalFailure()) return;
        }
    destroy(image);
  }

  CUmodule module_ = nullptr;
  int compared_ = 0;
};

TEST_P(PtxTexture, NumbersOfEachFormatAreFilteredAsDocumented) {
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
  EXPECT_EQ(compared_, 5 * 2 * 16 * 63);
}

/// Integers as they are, by a place and by a number.
TEST_P(PtxTexture, IntegersAreReadAsTheyAre) {
  for (const CUarray_format channel :
       {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
        CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32})
    for (const u32 channels : {1, 2, 4})
      for (const char* from : {"s32", "f32"})
        for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER}) {
          const Image image = make_image("2d", {channel, channels});
          const CUtexObject texture = make(image, {mode, false, false}, CU_TRSF_READ_AS_INTEGER);
          std::vector<u32> in;
          for (int y = -2; y < 5; ++y)
            for (int x = -2; x < 8; ++x) {
              const bool by_place = from[0] == 'f';
              for (const int word : {0, x, y, 0})
                in.push_back(by_place ? std::bit_cast<u32>(static_cast<f32>(word) + 0.75F)
                                      : static_cast<u32>(word));
            }
          const std::vector<u32> got = fetched(
              fmt::format("fetch_2d_{}32_{}", channels == 2 ? 's' : 'u', from), texture, in);
          std::size_t i = 0;
          for (int y = -2; y < 5; ++y)
            for (int x = -2; x < 8; ++x, i += 4)
              for (u32 c = 0; c < channels; ++c) {
                const int at_x = place(x, 5, mode, false);
                const int at_y = place(y, 3, mode, false);
                const u32 want = at_x < 0 || at_y < 0
                                     ? std::bit_cast<u32>(kBorder[c])
                                     : static_cast<u32>(integer_at(
                                           channel, image.texel(at_x, at_y, 0) +
                                                        c * image.format.channel_bytes()));
                ASSERT_EQ(got[i + c], want) << channel << " at " << x << ", " << y;
              }
          EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
          destroy(image);
        }
}

TEST_P(PtxTexture, ACoordinateThatIsNoNumberIsThatOfTheFirstTexel) {
  const Image image = make_image("1d", {CU_AD_FORMAT_UNSIGNED_INT32, 1});
  const CUtexObject texture = make(image, {CU_TR_ADDRESS_MODE_CLAMP, false, false}, 0);
  const std::vector<u32> got =
      fetched("fetch_1d_u32_f32", texture, {0, 0x7fc00000, 0, 0, 0, 0x7f800000, 0, 0});
  EXPECT_EQ(got[0], read<u32>(image.texel(0, 0, 0)));
  EXPECT_EQ(got[4], read<u32>(image.texel(4, 0, 0)));
}

TEST_P(PtxTexture, AViewHasSomeOfTheLayers) {
  const Image image = make_image("a1d", {CU_AD_FORMAT_UNSIGNED_INT32, 1});
  CUDA_RESOURCE_DESC resource{};
  resource.res.array.hArray = image.array;
  const CUDA_TEXTURE_DESC sampling{};
  CUDA_RESOURCE_VIEW_DESC view{};
  view.width = 5;
  view.depth = 4;
  view.firstLayer = 1;
  view.lastLayer = 2;
  CUtexObject texture = 0;
  ASSERT_EQ(AFTERLIFE_CU(cuTexObjectCreate)(&texture, &resource, &sampling, &view), CUDA_SUCCESS);
  const u32 x = std::bit_cast<u32>(3.5F);
  const std::vector<u32> got =
      fetched("fetch_a1d_u32_f32", texture, {0, x, 0, 0, 1, x, 0, 0, 9, x, 0, 0});
  for (const int i : {0, 1, 2})
    EXPECT_EQ(got[static_cast<std::size_t>(4 * i)],
              read<u32>(image.texel(3, 0, std::min(i + 1, 2))));
}

INSTANTIATE_ON_GPU_TOO(PtxTexture);

}  // namespace
}  // namespace harness::testing
