// SPDX-License-Identifier: Apache-2.0
// Axis: which texels a coordinate means along one dimension of a texture, and by which weight.
//
// Source: CUDA C++ programming guide, *Texture fetching*: addressing modes, nearest-point sampling,
// and linear filtering, whose weights have 8 bits behind the point. Weights are rounded to the
// nearest of these, which the guide does not say.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace harness::devices {

/// Two texels that follow each other, of which the second may count for nothing.
struct AxisTexels {
  /// In place of an index: the texel is outside, and has the border's color.
  static constexpr std::int64_t kOutside = -1;

  std::int64_t first = 0;
  std::int64_t second = 0;
  std::uint32_t weight = 0;  ///< The second's, of 256.
};

struct Axis {
  std::uint64_t extent = 1;  ///< In texels.
  CUaddress_mode mode = CU_TR_ADDRESS_MODE_CLAMP;
  bool is_normalized = false;  ///< Coordinates from 0 to 1 are the whole extent.
  bool is_filtered = false;    ///< Between texels.

  /// Returns what a coordinate means, that is this many texels further on.
  AxisTexels at(double coordinate, std::int32_t offset) const;
  /// Returns what the number of a texel means, which is neither normalized nor filtered, and which
  /// no mode leads back inside.
  AxisTexels at_texel(std::int64_t index) const;

 private:
  std::int64_t resolve(std::int64_t index) const;
};

}  // namespace harness::devices
