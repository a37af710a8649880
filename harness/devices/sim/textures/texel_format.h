// SPDX-License-Identifier: Apache-2.0
// TexelFormat: what a texel is made of: up to four channels of one type.
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

  /// Returns whether it is one that can be read: integers of 8, 16 and 32 bits, f16 and f32, in 1,
  /// 2 or 4 channels.
  bool is_known() const;
  std::uint32_t channel_bytes() const;
  std::uint32_t bytes() const { return channel_bytes() * channel_count; }
  bool is_float() const { return channel == CU_AD_FORMAT_HALF || channel == CU_AD_FORMAT_FLOAT; }
  /// Returns whether its integers have a sign.
  bool is_signed() const;
  /// Returns whether a texture can read it as a number from 0, or -1, to 1.
  bool can_be_normalized() const { return !is_float() && channel_bytes() < 4; }

  /// Returns a texel as numbers; integers so that the largest is 1. What it has no channel for is
  /// 0.
  TexelNumbers numbers(const std::byte* texel) const;
  /// Returns the number nearest to this one that a channel of integers can hold, of two the one
  /// nearer to zero; a number of f16 is cut.
  float held(float number) const;
  /// Returns the low bits of these that a channel has room for, as it would be read.
  std::uint32_t cut(std::uint32_t bits) const;
  /// Returns a texel as a register holds it: integers of 32 bits, or the bits of an f32.
  TexelWords words(const std::byte* texel) const;
  /// Writes a texel that registers hold so. An integer that a channel cannot hold is the nearest
  /// that it can, and a number of f16 is rounded to the nearest, of two the even one.
  void put(const TexelWords& words, std::byte* texel) const;

  bool operator==(const TexelFormat&) const = default;
};

/// Returns the value of a number of half precision.
float half_value(std::uint16_t bits);
/// Returns the nearest number of half precision, of two the even one.
std::uint16_t half_bits(float value);

}  // namespace harness::devices
