// SPDX-License-Identifier: Apache-2.0
// TexelFormat: the format of a texel: up to four channels of one type.
//
// Source: CUDA C++ programming guide, *Texture fetching*; cuda.h, CUarray_format.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace harness::devices {

/// One value for each channel.
using TexelNumbers = std::array<double, 4>;
using TexelWords = std::array<std::uint32_t, 4>;

struct TexelFormat {
  CUarray_format channel = CU_AD_FORMAT_FLOAT;
  std::uint32_t channel_count = 1;

  /// Returns whether the format is supported: integers of 8, 16 and 32 bits, f16 and f32, in 1, 2
  /// or 4 channels.
  bool is_known() const;
  std::uint32_t channel_bytes() const;
  std::uint32_t bytes() const { return channel_bytes() * channel_count; }
  bool is_float() const { return channel == CU_AD_FORMAT_HALF || channel == CU_AD_FORMAT_FLOAT; }
  /// Returns whether its integers are signed.
  bool is_signed() const;
  /// Returns whether a texture can read it as a number from 0 or -1 to 1.
  bool can_be_normalized() const { return !is_float() && channel_bytes() < 4; }

  /// Returns a texel as numbers. Integers are scaled so that the largest is 1. Missing channels are
  /// 0.
  TexelNumbers numbers(const std::byte* texel) const;
  /// Returns the nearest number that an integer channel can hold, with ties towards zero. An f16 is
  /// truncated.
  float held(float number) const;
  /// Returns the low bits that fit into a channel, as they would be read.
  std::uint32_t cut(std::uint32_t bits) const;
  /// Returns a texel in registers: integers of 32 bits, or the bits of an f32.
  TexelWords words(const std::byte* texel) const;
  /// Writes a texel from registers. Integers are clamped to the range of a channel; an f16 is
  /// rounded to nearest, with ties to even.
  void put(const TexelWords& words, std::byte* texel) const;

  bool operator==(const TexelFormat&) const = default;
};

/// Returns the value of a half-precision number.
float half_value(std::uint16_t bits);
/// Returns the nearest half-precision number, with ties to even.
std::uint16_t half_bits(float value);

}  // namespace harness::devices
