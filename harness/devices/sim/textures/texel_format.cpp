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

/// Returns a channel as an integer of 32 bits, extended by its sign, or the bits of an f32.
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

float TexelFormat::held(float number) const {
  if (!can_be_normalized()) return number;
  const bool is_signed =
      channel == CU_AD_FORMAT_SIGNED_INT8 || channel == CU_AD_FORMAT_SIGNED_INT16;
  const float largest = static_cast<float>((1U << (8 * channel_bytes() - (is_signed ? 1 : 0))) - 1);
  const float within = std::fmin(std::fmax(number, is_signed ? -1.0F : 0.0F), 1.0F);
  return std::nearbyint(within * largest) / largest;
}

/// Returns a channel as a number: integers of 8 and 16 bits so that the largest is 1.
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

}  // namespace harness::devices
