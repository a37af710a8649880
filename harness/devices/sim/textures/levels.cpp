// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/textures/levels.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace harness::devices {

/// Returns the binary logarithm of the longer gradient, in texels of level 0.
static double level_of_gradients(const Texels& texels, const KernelFetch& asked) {
  const std::uint64_t extents[] = {texels.width, texels.height, texels.depth};
  double longest = 0;
  for (const auto& gradient : asked.gradients) {
    double square = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(asked.dimensions, 3); ++i) {
      const double length = gradient[i] * static_cast<double>(extents[i]);
      square += length * length;
    }
    longest = std::max(longest, std::sqrt(square));
  }
  return longest > 0 ? std::log2(longest) : 0;
}

LevelChoice levels_of(const Texture& texture, const KernelFetch& asked) {
  if (!texture.is_mipmapped() || asked.levels == KernelLevels::base) return {};
  const auto last = static_cast<double>(texture.smaller_levels.size());
  if (asked.is_by_number != 0) {
    const auto index = static_cast<std::int32_t>(asked.level);
    const auto level = static_cast<std::size_t>(std::clamp<double>(index, 0, last));
    return {level, level, 0};
  }
  const CUDA_TEXTURE_DESC& sampling = texture.sampling;
  double level = asked.levels == KernelLevels::given ? std::bit_cast<float>(asked.level)
                                                     : level_of_gradients(texture.texels, asked);
  level += sampling.mipmapLevelBias;
  if (std::isnan(level)) level = 0;
  level = std::fmin(std::fmax(level, sampling.minMipmapLevelClamp), sampling.maxMipmapLevelClamp);
  level = std::clamp(level, 0.0, last);
  if (sampling.mipmapFilterMode == CU_TR_FILTER_MODE_POINT || !texture.reads_numbers()) {
    const auto nearest = static_cast<std::size_t>(std::floor(level + 0.5));
    return {nearest, nearest, 0};
  }
  const double rounded = std::floor(level * 256 + 0.5) / 256;
  const auto first = static_cast<std::size_t>(rounded);
  const double weight = rounded - static_cast<double>(first);
  return {first, weight > 0 ? first + 1 : first, weight};
}

}  // namespace harness::devices
