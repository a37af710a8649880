// SPDX-License-Identifier: Apache-2.0
// Fetched: a fetch from a texture, as the texels that it means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/devices/sim/textures/axis.h"
#include "harness/devices/sim/textures/objects.h"
#include "harness/kernel_image.h"

namespace harness::devices {

/// A texel, and what it counts for. It is outside where an index is AxisTexels::kOutside. The
/// layer, if there are layers, is z.
struct WeightedTexel {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  double weight = 1;
};

/// The texels of a fetch: one, or those that a filter sums up. What counts for nothing is not among
/// them.
struct FetchedTexels {
  std::array<WeightedTexel, 8> texels;
  std::size_t count = 0;

  void add(const WeightedTexel& texel) { texels[count++] = texel; }
};

/// Returns which texels of a level a fetch means.
FetchedTexels footprint_of(const Texture& texture, const Texels& level, const KernelFetch& asked);

/// Returns the four texels that a filter would take in a plane, in the order of tld4: from the
/// lower left one, where y is larger, against the clock.
FetchedTexels gathered_of(const Texture& texture, const Texels& level, const KernelFetch& asked);

/// Returns the color that stands for a texel outside, in the bits that the texture is read in.
/// Where texels are asked for by number it is 0: a GPU does so without the texture's way of
/// reading.
TexelWords border_of(const Texture& texture, const KernelFetch& asked);

}  // namespace harness::devices
