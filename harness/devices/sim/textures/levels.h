// SPDX-License-Identifier: Apache-2.0
// Levels: which levels of a mipmapped texture a fetch reads, and by which weight.
//
// Source: cuda.h, CUDA_TEXTURE_DESC; PTX ISA 9.0, *Mipmaps*. What neither says is as graphics has
// it (OpenGL 4.6, *Texture minification*): of gradients the longer one counts, in texels, and its
// logarithm to base 2 is the level; between levels the nearest is read, or both, by weights of 8
// bits.
#pragma once

#include <cstddef>

#include "harness/devices/sim/textures/objects.h"
#include "harness/kernel_image.h"

namespace harness::devices {

struct LevelChoice {
  std::size_t first = 0;
  std::size_t second = 0;
  double weight = 0;  ///< The second's, from 0 to 1.
};

LevelChoice levels_of(const Texture& texture, const KernelFetch& asked);

/// Returns a level that there is.
inline const Texels& level_at(const Texture& texture, std::size_t index) {
  return index == 0 ? texture.texels : texture.smaller_levels[index - 1];
}

}  // namespace harness::devices
