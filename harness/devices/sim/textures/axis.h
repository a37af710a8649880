// SPDX-License-Identifier: Apache-2.0
// Axis: the texels of a coordinate in one dimension of a texture, and their weights.
//
// Source: CUDA C++ programming guide, *Texture fetching*: addressing modes, nearest-point sampling,
// and linear filtering, whose weights have 8 fractional bits. Weights are rounded to the nearest of
// these, which the guide does not specify.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace harness::devices {

/// Two adjacent texels, of which the second may have weight 0.
struct AxisTexels {
  /// In place of an index: the texel is outside, and has the border color.
  static constexpr std::int64_t kOutside = -1;

  std::int64_t first = 0;
  std::int64_t second = 0;
  std::uint32_t weight = 0;  ///< Weight of the second texel, out of 256.
};

struct Axis {
  std::uint64_t extent = 1;  ///< Number of texels.
  CUaddress_mode mode = CU_TR_ADDRESS_MODE_CLAMP;
  bool is_normalized = false;  ///< Coordinates from 0 to 1 cover the whole extent.
  bool is_filtered = false;    ///< Interpolates between texels.

  /// Returns the texels of a coordinate, moved by `offset` texels.
  AxisTexels at(double coordinate, std::int32_t offset) const;
  /// Returns the texel with a number, which is neither normalized, nor filtered, nor moved inside
  /// by an addressing mode.
  AxisTexels at_texel(std::int64_t index) const;

 private:
  std::int64_t resolve(std::int64_t index) const;
};

}  // namespace harness::devices
