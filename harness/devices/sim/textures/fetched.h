// SPDX-License-Identifier: Apache-2.0
// Fetched: the texels of a fetch from a texture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/device_code/kernel_image.h"
#include "harness/devices/sim/textures/axis.h"
#include "harness/devices/sim/textures/objects.h"

namespace harness::devices {

/// A texel and its weight. It is outside if an index is AxisTexels::kOutside. The layer, if there
/// are layers, is z.
struct WeightedTexel {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  double weight = 1;
};

/// The texels of a fetch: one, or those that a filter adds up. Texels with weight 0 are left out.
struct FetchedTexels {
  std::array<WeightedTexel, 8> texels;
  std::size_t count = 0;

  void add(const WeightedTexel& texel) { texels[count++] = texel; }
};

/// Returns the texels of a level that a fetch reads.
FetchedTexels footprint_of(const Texture& texture, const Texels& level, const KernelFetch& asked);

/// Returns the four texels that a filter would use in a plane, in the order of tld4:
/// counter-clockwise from the lower left one, where y is larger.
FetchedTexels gathered_of(const Texture& texture, const Texels& level, const KernelFetch& asked);

/// Returns the color of a texel outside, in the type that the texture is read as. For a fetch by
/// texel number it is 0, because a GPU ignores the read mode there.
TexelWords border_of(const Texture& texture, const KernelFetch& asked);

}  // namespace harness::devices
