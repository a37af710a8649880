// SPDX-License-Identifier: Apache-2.0
// Levels: the levels of a mipmapped texture that a fetch reads, and their weights.
//
// Source: cuda.h, CUDA_TEXTURE_DESC; PTX ISA 9.0, *Mipmaps*. The rest follows graphics (OpenGL 4.6,
// *Texture minification*): the longer gradient is used, in texels, and its logarithm to base 2 is
// the level. Between levels the nearest is read, or both, with weights of 8 bits.
#pragma once

#include <cstddef>

#include "harness/device_code/kernel_image.h"
#include "harness/devices/sim/textures/objects.h"

namespace harness::devices {

struct LevelChoice {
  std::size_t first = 0;
  std::size_t second = 0;
  double weight = 0;  ///< Weight of the second level, from 0 to 1.
};

LevelChoice levels_of(const Texture& texture, const KernelFetch& asked);

/// Returns an existing level.
inline const Texels& level_at(const Texture& texture, std::size_t index) {
  return index == 0 ? texture.texels : texture.smaller_levels[index - 1];
}

}  // namespace harness::devices
