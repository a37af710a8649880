// SPDX-License-Identifier: Apache-2.0
// Reference: texture fetches, written from the formulas of the programming guide, *Texture
// fetching*, independently of the device's implementation.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/device_code/tests/ptx/halves.h"
#include "harness/device_code/tests/ptx/texture_stage.h"

namespace harness::testing {

using Number = long double;

template <class T>
T read(const u8* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// A channel as an integer.
inline s64 integer_at(CUarray_format channel, const u8* from) {
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
inline Number largest(CUarray_format channel) {
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

inline Number number_at(CUarray_format channel, const u8* from) {
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
inline int place(int i, int extent, CUaddress_mode mode, bool normalized) {
  if (i >= 0 && i < extent) return i;
  if (mode == CU_TR_ADDRESS_MODE_BORDER) return -1;
  if (!normalized || mode == CU_TR_ADDRESS_MODE_CLAMP) return i < 0 ? 0 : extent - 1;
  if (mode == CU_TR_ADDRESS_MODE_WRAP)
    return place(i < 0 ? i + extent : i - extent, extent, mode, true);
  return place(i < 0 ? -1 - i : 2 * extent - 1 - i, extent, mode, true);
}

/// The texel read in place of those outside, by the address modes of the texture.
inline constexpr f32 kBorder[4] = {0.6F, -3, 7, 0.5F};

/// How a texture is made to be read so.
inline CUDA_TEXTURE_DESC sampling_of(const Way& way, unsigned flags) {
  CUDA_TEXTURE_DESC sampling{};
  for (CUaddress_mode& mode : sampling.addressMode) mode = way.mode;
  sampling.filterMode = way.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  sampling.flags = flags | (way.normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0);
  std::copy_n(kBorder, 4, sampling.borderColor);
  return sampling;
}

/// The color of the border as a format holds it: an H200 clamps and rounds it so, a half towards
/// zero, and cuts a number of f16.
inline Number border(CUarray_format channel, u32 index) {
  if (channel == CU_AD_FORMAT_FLOAT) return kBorder[index];
  if (channel == CU_AD_FORMAT_HALF) {
    const int unit = std::ilogb(kBorder[index]) - 10;
    return std::ldexp(std::trunc(std::ldexp(kBorder[index], -unit)), unit);
  }
  const bool is_signed =
      channel == CU_AD_FORMAT_SIGNED_INT8 || channel == CU_AD_FORMAT_SIGNED_INT16;
  const Number within = std::clamp<Number>(kBorder[index], is_signed ? -1 : 0, 1);
  const Number half_less = std::abs(within) * largest(channel) - 0.5L;
  return std::copysign(std::ceil(half_less), within) / largest(channel);
}

/// The same as an integer: the low bits of the number's own, on an H200.
inline u32 integer_border(CUarray_format channel, u32 index) {
  return static_cast<u32>(integer_at(channel, reinterpret_cast<const u8*>(&kBorder[index])));
}

/// One channel of a texel as an integer, 0 if there is no channel. Beyond the border it is
/// `outside`.
inline u32 integer_around(const Image& image, int x, int y, u32 channel, CUaddress_mode mode,
                          u32 outside) {
  if (channel >= image.format.channels) return 0;
  const int at_x = place(x, image.width, mode, false);
  const int at_y = place(y, image.height, mode, false);
  if (at_x < 0 || at_y < 0) return outside;
  return static_cast<u32>(
      integer_at(image.format.channel,
                 image.texel(at_x, at_y, 0) + std::size_t{channel} * image.format.channel_bytes()));
}

/// Numbers that an answer may be between.
struct Range {
  Number low;
  Number high;
  Number distance(Number found) const { return std::max({low - found, found - high, Number{0}}); }
};

/// One channel of a fetch: nested sums, one axis in the other.
class Reference {
 public:
  /// `layer` is -1 if there are no layers.
  Reference(const Image& image, Way way, int layer, u32 channel)
      : image_(image), way_(way), layer_(layer), channel_(channel) {}

  /// The number of the guide's formulas, with weights rounded to the nearest of 8 bits.
  Number at(const Number* x, int axes) { return along(axes - 1, x); }

  /// The guide does not say how a weight gets its 8 bits, so that it may be the one below, or
  /// above, along each axis; two of them where the coordinate is multiplied first. Where texels are
  /// not filtered there is one number.
  Range around(const Number* x, int axes) {
    Range made{at(x, axes), at(x, axes)};
    for (int i = 0; way_.linear && i < 27; ++i) {
      const int choices[] = {i % 3, i / 3 % 3, i / 9};
      for (int axis = 0; axis < axes; ++axis)
        steps_[axis] = (choices[axis] - 1) * (way_.normalized ? 2 : 1);
      const Number value = at(x, axes);
      made = {std::min(made.low, value), std::max(made.high, value)};
    }
    std::fill_n(steps_, 3, 0);
    return made;
  }

  /// The error of a GPU's sum: that of a number of the format, half of its last digit; of eight
  /// products and seven sums in f32, each 2^-24 of the largest texel; and of the weights of up to
  /// eight texels, which are products of 8 bits again.
  Number error(int axes = 1) const {
    const Format& format = image_.format;
    Number most =
        way_.mode == CU_TR_ADDRESS_MODE_BORDER ? std::abs(border(format.channel, channel_)) : 0;
    for (std::size_t i = 0; i < image_.bytes.size(); i += format.bytes())
      most = std::max(most, std::abs(number_at(format.channel, &image_.bytes[i] + offset())));
    const Number product = axes > 1 ? most * (1 << axes) * 0x1p-9L : 0;
    const Number sum = most * 15 * 0x1p-24L + product;
    if (format.channel == CU_AD_FORMAT_FLOAT) return sum;
    if (format.channel == CU_AD_FORMAT_HALF) return sum + most * 0x1p-11L;
    return sum + 0.5L / largest(format.channel);
  }

 private:
  std::size_t offset() const { return std::size_t{channel_} * image_.format.channel_bytes(); }

  Number along(int axis, const Number* x) {
    if (axis < 0) return texel();
    const int extents[] = {image_.width, image_.height, image_.depth};
    const Number scaled = x[axis] * (way_.normalized ? extents[axis] : 1);
    const Number low = way_.linear ? scaled - 0.5L + steps_[axis] / 256.0L : scaled;
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
    if (index_[0] < 0 || index_[1] < 0 || z < 0) return border(image_.format.channel, channel_);
    return number_at(image_.format.channel, image_.texel(index_[0], index_[1], z) + offset());
  }

  const Image& image_;
  Way way_;
  int layer_;
  u32 channel_;
  int index_[3] = {0, 0, 0};
  int steps_[3] = {0, 0, 0};  ///< Along each axis, of a weight's last bit.
};

}  // namespace harness::testing
