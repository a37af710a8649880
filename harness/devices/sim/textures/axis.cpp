// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/textures/axis.h"

#include <algorithm>
#include <cmath>

namespace harness::devices {

/// Returns the index of an existing texel, or kOutside. If coordinates are not normalized, wrap and
/// mirror mean clamp.
std::int64_t Axis::resolve(std::int64_t index) const {
  const auto count = static_cast<std::int64_t>(extent);
  if (index >= 0 && index < count) return index;
  if (mode == CU_TR_ADDRESS_MODE_BORDER) return AxisTexels::kOutside;
  const bool repeats = is_normalized && mode != CU_TR_ADDRESS_MODE_CLAMP;
  if (!repeats) return std::clamp<std::int64_t>(index, 0, count - 1);
  const std::int64_t period = mode == CU_TR_ADDRESS_MODE_MIRROR ? 2 * count : count;
  const std::int64_t within = (index % period + period) % period;
  return within < count ? within : period - 1 - within;
}

/// Returns the coordinate in texels. NaN becomes 0; large coordinates are reduced to an equivalent
/// one.
static double in_texels(const Axis& axis, double coordinate) {
  constexpr double kFar = 1 << 30;  // Larger than any extent.
  if (std::isnan(coordinate)) return 0;
  if (!axis.is_normalized) return std::clamp(coordinate, -kFar, kFar);
  const bool repeats =
      axis.mode == CU_TR_ADDRESS_MODE_WRAP || axis.mode == CU_TR_ADDRESS_MODE_MIRROR;
  const double within = repeats ? std::fmod(coordinate, 2.0) : std::clamp(coordinate, -4.0, 4.0);
  return std::isnan(within) ? 0 : within * static_cast<double>(axis.extent);
}

AxisTexels Axis::at(double coordinate, std::int32_t offset) const {
  const double place = in_texels(*this, coordinate) - (is_filtered ? 0.5 : 0.0) + offset;
  const double low = std::floor(place);
  const auto index = static_cast<std::int64_t>(low);
  if (!is_filtered) return {resolve(index), resolve(index), 0};
  const auto weight = static_cast<std::uint32_t>(std::floor((place - low) * 256 + 0.5));
  return {resolve(index), resolve(index + 1), weight};
}

AxisTexels Axis::at_texel(std::int64_t index) const {
  const bool is_inside = index >= 0 && index < static_cast<std::int64_t>(extent);
  const std::int64_t texel = is_inside ? index : AxisTexels::kOutside;
  return {texel, texel, 0};
}

}  // namespace harness::devices
