// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/textures/texel_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace harness::devices {

bool TexelFormat::is_known() const {
  return channel_bytes() != 0 && (channel_count == 1 || channel_count == 2 || channel_count == 4);
}

std::uint32_t TexelFormat::channel_bytes() const {
  switch (channel) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return 0;
  }
}

template <class T>
static T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const float size = exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                     : exponent == 0
                         ? std::ldexp(static_cast<float>(fraction), -24)
                         : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return std::copysign(size, (bits & 0x8000) != 0 ? -1.0F : 1.0F);
}

/// Returns a channel as a sign-extended 32-bit integer, or as the bits of an f32.
static std::uint32_t word(CUarray_format channel, const std::byte* from) {
  switch (channel) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return read<std::uint8_t>(from);
    case CU_AD_FORMAT_SIGNED_INT8:
      return static_cast<std::uint32_t>(read<std::int8_t>(from));
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return read<std::uint16_t>(from);
    case CU_AD_FORMAT_SIGNED_INT16:
      return static_cast<std::uint32_t>(read<std::int16_t>(from));
    case CU_AD_FORMAT_HALF:
      return std::bit_cast<std::uint32_t>(half_value(read<std::uint16_t>(from)));
    default:
      return read<std::uint32_t>(from);
  }
}

std::uint16_t half_bits(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float size = std::fabs(value);
  if (std::isnan(value)) return 0x7fff;
  if (size >= 65520) return sign | 0x7c00;  // Halfway beyond the largest number.
  // The value of the last digit; for subnormal numbers it is that of the smallest number.
  const int exponent = size < 0x1p-14F ? -14 : std::ilogb(size);
  const auto digits = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  // A fraction that is rounded up to the next power carries into the exponent.
  const auto raw = static_cast<std::uint32_t>((exponent + 14) << 10) + digits;
  return static_cast<std::uint16_t>(sign | raw);
}

bool TexelFormat::is_signed() const {
  return channel == CU_AD_FORMAT_SIGNED_INT8 || channel == CU_AD_FORMAT_SIGNED_INT16 ||
         channel == CU_AD_FORMAT_SIGNED_INT32;
}

/// The bits of an f32 mantissa beyond half precision.
static constexpr std::uint32_t kBelowHalf = 0x1fff;

float TexelFormat::held(float number) const {
  if (channel == CU_AD_FORMAT_HALF)
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(number) & ~kBelowHalf);
  if (!can_be_normalized()) return number;
  const float largest =
      static_cast<float>((1U << (8 * channel_bytes() - (is_signed() ? 1 : 0))) - 1);
  const float within = std::fmin(std::fmax(number, is_signed() ? -1.0F : 0.0F), 1.0F);
  return std::copysign(std::ceil(std::fabs(within) * largest - 0.5F) / largest, within);
}

std::uint32_t TexelFormat::cut(std::uint32_t bits) const {
  const std::uint32_t above = 32 - 8 * channel_bytes();
  const std::uint32_t raised = bits << above;
  return is_signed() ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raised) >> above)
                     : raised >> above;
}

/// Returns a channel as a number. The largest integer of 8 or 16 bits is 1.
static double number(CUarray_format channel, const std::byte* from) {
  const std::uint32_t bits = word(channel, from);
  const auto signed_bits = static_cast<std::int32_t>(bits);
  switch (channel) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return bits / 255.0;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return bits / 65535.0;
    case CU_AD_FORMAT_SIGNED_INT8:
      return std::max(signed_bits / 127.0, -1.0);
    case CU_AD_FORMAT_SIGNED_INT16:
      return std::max(signed_bits / 32767.0, -1.0);
    case CU_AD_FORMAT_UNSIGNED_INT32:
      return bits;
    case CU_AD_FORMAT_SIGNED_INT32:
      return signed_bits;
    default:
      return std::bit_cast<float>(bits);
  }
}

TexelNumbers TexelFormat::numbers(const std::byte* texel) const {
  TexelNumbers made{};
  for (std::uint32_t i = 0; i < channel_count; ++i)
    made[i] = number(channel, texel + std::size_t{i} * channel_bytes());
  return made;
}

TexelWords TexelFormat::words(const std::byte* texel) const {
  TexelWords made{};
  for (std::uint32_t i = 0; i < channel_count; ++i)
    made[i] = word(channel, texel + std::size_t{i} * channel_bytes());
  return made;
}

/// Returns the bits of a channel, in the low bits.
static std::uint32_t channel_bits(CUarray_format channel, std::uint32_t word) {
  const auto clamped = [word](std::int32_t least, std::int32_t most) {
    return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(word), least, most));
  };
  switch (channel) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return std::min(word, 0xffU);
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return std::min(word, 0xffffU);
    case CU_AD_FORMAT_SIGNED_INT8:
      return clamped(-0x80, 0x7f);
    case CU_AD_FORMAT_SIGNED_INT16:
      return clamped(-0x8000, 0x7fff);
    case CU_AD_FORMAT_HALF:
      return half_bits(std::bit_cast<float>(word));
    default:
      return word;
  }
}

void TexelFormat::put(const TexelWords& words, std::byte* texel) const {
  for (std::uint32_t i = 0; i < channel_count; ++i) {
    const std::uint32_t bits = channel_bits(channel, words[i]);
    std::memcpy(texel + std::size_t{i} * channel_bytes(), &bits, channel_bytes());
  }
}

}  // namespace harness::devices
