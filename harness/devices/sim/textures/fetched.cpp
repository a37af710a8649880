// How it works. Each coordinate means two texels along its axis; the footprint is their product.
#include "harness/devices/sim/textures/fetched.h"

#include <algorithm>
#include <bit>

namespace harness::devices {

namespace {

/// Two texels along x, y and z each; the layer, where there are layers, is z.
using FetchedAxes = std::array<AxisTexels, 3>;

bool is_filtered(const Texture& texture) {
  return texture.sampling.filterMode == CU_TR_FILTER_MODE_LINEAR && texture.reads_numbers();
}

/// Returns how coordinates along one dimension are meant. Linear memory has no modes: beyond it all
/// is 0.
Axis axis_of(const Texture& texture, const Texels& level, std::size_t index) {
  const std::uint64_t extents[] = {level.width, level.height, level.depth};
  if (texture.is_linear_memory()) return {extents[index], CU_TR_ADDRESS_MODE_BORDER, false, false};
  return {extents[index], texture.sampling.addressMode[index],
          texture.has(CU_TRSF_NORMALIZED_COORDINATES), is_filtered(texture)};
}

/// Returns the layer there is that is nearest.
AxisTexels layer_of(const Texels& level, std::uint32_t layer) {
  const std::uint64_t slices = level.has_solid_depth() ? 1 : level.depth;
  const auto index = static_cast<std::int64_t>(std::min<std::uint64_t>(layer, slices - 1));
  return {index, index, 0};
}

FetchedAxes axes_of(const Texture& texture, const Texels& level, const KernelFetch& asked,
                    bool is_gathered) {
  FetchedAxes axes{};
  for (std::size_t i = 0; i < std::min<std::size_t>(asked.dimensions, axes.size()); ++i) {
    Axis axis = axis_of(texture, level, i);
    axis.is_filtered |= is_gathered;
    const std::uint32_t bits = asked.coordinates[i];
    axes[i] = asked.is_by_number != 0
                  ? axis.at_texel(std::int64_t{static_cast<std::int32_t>(bits)} + asked.offsets[i])
                  : axis.at(std::bit_cast<float>(bits), asked.offsets[i]);
  }
  if (asked.is_layered != 0) axes[2] = layer_of(level, asked.layer);
  return axes;
}

double share(const AxisTexels& axis, bool is_second) {
  return (is_second ? axis.weight : 256 - axis.weight) / 256.0;
}

FetchedTexels product_of(const FetchedAxes& axes) {
  FetchedTexels made;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const bool x = (corner & 1) != 0, y = (corner & 2) != 0, z = (corner & 4) != 0;
    const double weight = share(axes[0], x) * share(axes[1], y) * share(axes[2], z);
    if (weight != 0)
      made.add({x ? axes[0].second : axes[0].first, y ? axes[1].second : axes[1].first,
                z ? axes[2].second : axes[2].first, weight});
  }
  return made;
}

}  // namespace

FetchedTexels footprint_of(const Texture& texture, const Texels& level, const KernelFetch& asked) {
  return product_of(axes_of(texture, level, asked, false));
}

FetchedTexels gathered_of(const Texture& texture, const Texels& level, const KernelFetch& asked) {
  const FetchedAxes axes = axes_of(texture, level, asked, true);
  constexpr bool kOrder[4][2] = {{false, true}, {true, true}, {true, false}, {false, false}};
  FetchedTexels made;
  for (const auto [x, y] : kOrder)
    made.add(
        {x ? axes[0].second : axes[0].first, y ? axes[1].second : axes[1].first, axes[2].first});
  return made;
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
