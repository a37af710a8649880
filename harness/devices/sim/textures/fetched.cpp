// SPDX-License-Identifier: Apache-2.0
// How it works. Each coordinate selects two texels along its axis, and the footprint is their
// product. For cubes, the direction is first converted to two coordinates and a face, and texels
// beyond the edge of a face may belong to its neighbour.
#include "harness/devices/sim/textures/fetched.h"

#include <algorithm>
#include <bit>

#include "harness/devices/sim/textures/cube.h"

namespace harness::devices {

namespace {

/// Two texels along each of x, y and z. If there are layers, z is the layer.
using FetchedAxes = std::array<AxisTexels, 3>;

bool is_filtered(const Texture& texture) {
  return texture.sampling.filterMode == CU_TR_FILTER_MODE_LINEAR && texture.reads_numbers();
}

bool is_seamless(const Texture& texture) { return texture.has(CU_TRSF_SEAMLESS_CUBEMAP); }

/// Returns how the coordinates of one dimension are interpreted. Linear memory has no modes, and
/// reads as 0 outside.
Axis axis_of(const Texture& texture, const Texels& level, std::size_t index) {
  const std::uint64_t extents[] = {level.width, level.height, level.depth};
  if (texture.is_linear_memory()) return {extents[index], CU_TR_ADDRESS_MODE_BORDER, false, false};
  return {extents[index], texture.sampling.addressMode[index],
          texture.has(CU_TRSF_NORMALIZED_COORDINATES), is_filtered(texture)};
}

/// Returns the nearest existing layer. For cubes, it is the first face of that layer.
AxisTexels layer_of(const Texels& level, std::uint32_t layer, bool of_cubes) {
  const std::uint64_t faces = of_cubes ? 6 : 1;
  const std::uint64_t slices = level.has_solid_depth() ? 1 : level.depth;
  const std::uint64_t last = std::max<std::uint64_t>(slices / faces, 1) - 1;
  const auto index = static_cast<std::int64_t>(std::min<std::uint64_t>(layer, last) * faces);
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
  if (asked.is_layered != 0) axes[2] = layer_of(level, asked.layer, false);
  return axes;
}

/// Returns the axes in the plane of a face; z is the face.
FetchedAxes axes_on_face(const Texture& texture, const Texels& level, const CubePlace& place,
                         const KernelFetch& asked, bool is_gathered) {
  const AxisTexels first = layer_of(level, asked.is_layered != 0 ? asked.layer : 0, true);
  const std::int64_t face = first.first + place.face;
  FetchedAxes axes{AxisTexels{}, AxisTexels{}, AxisTexels{face, face, 0}};
  const double coordinates[] = {place.s, place.t};
  for (std::size_t i = 0; i < 2; ++i) {
    Axis axis = axis_of(texture, level, i);
    axis.is_normalized = true;
    axis.is_filtered |= is_gathered;
    if (is_seamless(texture)) axis.mode = CU_TR_ADDRESS_MODE_CLAMP;
    axes[i] = axis.at(coordinates[i], 0);
  }
  return axes;
}

CubePlace place_of(const KernelFetch& asked) {
  std::array<double, 3> direction;
  std::transform(std::begin(asked.coordinates), std::end(asked.coordinates), direction.begin(),
                 [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
  return place_on_cube(direction);
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

// ---- across the edges of a cube ---------------------------------------------------------------

/// Returns two texels along an axis of a face, which may be one beyond each end.
AxisTexels unbounded(double coordinate, std::uint64_t extent) {
  Axis axis{extent + 2, CU_TR_ADDRESS_MODE_CLAMP, false, true};
  const AxisTexels shifted = axis.at(coordinate * static_cast<double>(extent) + 1, 0);
  return {shifted.first - 1, shifted.second - 1, shifted.weight};
}

/// Replaces a texel beyond the edge of a face by the neighbour's. Returns false at a corner, where
/// no such texel exists.
bool cross_edge(WeightedTexel& texel, std::int64_t extent) {
  const bool x_outside = texel.x < 0 || texel.x >= extent;
  const bool y_outside = texel.y < 0 || texel.y >= extent;
  if (x_outside && y_outside) return false;
  if (!x_outside && !y_outside) return true;
  const auto face = static_cast<std::uint32_t>(texel.z % 6);
  const CubeTexel to = texel_across_edge({face, texel.x, texel.y}, extent);
  texel.x = to.x;
  texel.y = to.y;
  texel.z += std::int64_t{to.face} - face;
  return true;
}

/// At a corner only three texels meet. Each gets a third of the weight of the missing fourth one.
FetchedTexels seamless_of(const Texels& level, const FetchedAxes& axes) {
  FetchedTexels made;
  double missing = 0;
  const FetchedTexels all = product_of(axes);
  for (std::size_t i = 0; i < all.count; ++i) {
    WeightedTexel texel = all.texels[i];
    if (cross_edge(texel, static_cast<std::int64_t>(level.width)))
      made.add(texel);
    else
      missing += texel.weight;
  }
  for (std::size_t i = 0; missing > 0 && i < made.count; ++i)
    made.texels[i].weight += missing / static_cast<double>(made.count);
  return made;
}

}  // namespace

FetchedTexels footprint_of(const Texture& texture, const Texels& level, const KernelFetch& asked) {
  if (asked.is_cube == 0) return product_of(axes_of(texture, level, asked, false));
  const CubePlace place = place_of(asked);
  FetchedAxes axes = axes_on_face(texture, level, place, asked, false);
  if (!is_seamless(texture) || !is_filtered(texture)) return product_of(axes);
  axes[0] = unbounded(place.s, level.width);
  axes[1] = unbounded(place.t, level.height);
  return seamless_of(level, axes);
}

FetchedTexels gathered_of(const Texture& texture, const Texels& level, const KernelFetch& asked) {
  const CubePlace place = asked.is_cube != 0 ? place_of(asked) : CubePlace{};
  const FetchedAxes bounded = asked.is_cube != 0 ? axes_on_face(texture, level, place, asked, true)
                                                 : axes_of(texture, level, asked, true);
  FetchedAxes axes = bounded;
  const bool crosses = asked.is_cube != 0 && is_seamless(texture);
  if (crosses) axes[0] = unbounded(place.s, level.width);
  if (crosses) axes[1] = unbounded(place.t, level.height);
  constexpr bool kOrder[4][2] = {{false, true}, {true, true}, {true, false}, {false, false}};
  FetchedTexels made;
  for (const auto [x, y] : kOrder) {
    const auto pick = [x, y](const FetchedAxes& from) {
      return WeightedTexel{x ? from[0].second : from[0].first, y ? from[1].second : from[1].first,
                           from[2].first};
    };
    WeightedTexel texel = pick(axes);
    // The texel missing at a corner is replaced by the nearest one of the face.
    if (crosses && !cross_edge(texel, static_cast<std::int64_t>(level.width)))
      texel = pick(bounded);
    made.add(texel);
  }
  return made;
}

// Returns the border color: rounded to the format, or as raw bits if integers are read. It is 0 if
// texels are read by number, as on an H200.
TexelWords border_of(const Texture& texture, const KernelFetch& asked) {
  TexelWords made{};
  if (asked.is_by_number != 0 || texture.is_linear_memory()) return made;
  const TexelFormat& format = texture.texels.format;
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const float color = texture.sampling.borderColor[i];
    made[i] = texture.reads_numbers() ? std::bit_cast<std::uint32_t>(format.held(color))
                                      : format.cut(std::bit_cast<std::uint32_t>(color));
  }
  return made;
}

}  // namespace harness::devices
