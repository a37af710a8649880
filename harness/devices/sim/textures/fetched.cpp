#include "harness/devices/sim/textures/fetched.h"

#include <algorithm>
#include <bit>

namespace harness::devices {

/// Returns how coordinates along one dimension are meant. Linear memory has no modes: beyond it all
/// is 0.
static Axis axis_of(const Texture& texture, std::size_t index) {
  const Texels& texels = texture.texels;
  const std::uint64_t extents[] = {texels.width, texels.height, texels.depth};
  if (texture.is_linear_memory()) return {extents[index], CU_TR_ADDRESS_MODE_BORDER, false, false};
  return {extents[index], texture.sampling.addressMode[index],
          texture.has(CU_TRSF_NORMALIZED_COORDINATES),
          texture.sampling.filterMode == CU_TR_FILTER_MODE_LINEAR && texture.reads_numbers()};
}

/// Returns the layer there is that is nearest.
static AxisTexels layer_of(const Texture& texture, std::uint32_t layer) {
  const auto index = static_cast<std::int64_t>(
      std::min<std::uint64_t>(layer, std::max<std::uint64_t>(texture.texels.layers(), 1) - 1));
  return {index, index, 0};
}

FetchedAxes axes_of(const Texture& texture, const KernelFetch& asked) {
  FetchedAxes axes{};
  for (std::size_t i = 0; i < std::min<std::size_t>(asked.dimensions, axes.size()); ++i) {
    const Axis axis = axis_of(texture, i);
    const std::uint32_t bits = asked.coordinates[i];
    axes[i] = asked.is_by_number != 0 ? axis.at_texel(static_cast<std::int32_t>(bits))
                                      : axis.at(std::bit_cast<float>(bits));
  }
  if (asked.is_layered != 0) axes[2] = layer_of(texture, asked.layer);
  return axes;
}

// The color is what the format can hold of it, and 0 where integers are read as such, as an H200
// has it.
TexelWords border_of(const Texture& texture, const KernelFetch& asked) {
  TexelWords made{};
  if (asked.is_by_number != 0 || texture.is_linear_memory() || !texture.reads_numbers())
    return made;
  const TexelFormat& format = texture.texels.format;
  for (std::size_t i = 0; i < format.channel_count; ++i)
    made[i] = std::bit_cast<std::uint32_t>(format.held(texture.sampling.borderColor[i]));
  return made;
}

}  // namespace harness::devices
