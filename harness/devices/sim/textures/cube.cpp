// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/textures/cube.h"

#include <algorithm>
#include <cmath>

namespace harness::devices {

namespace {

/// The coordinates of a direction relative to a face; m is the one that points at the face.
struct OnFace {
  double s, t, m;
};

OnFace on_face(std::uint32_t face, const std::array<double, 3>& direction) {
  const auto [x, y, z] = direction;
  switch (face) {
    case 0:
      return {-z, -y, x};
    case 1:
      return {z, -y, -x};
    case 2:
      return {x, z, y};
    case 3:
      return {x, -z, -y};
    case 4:
      return {x, -y, z};
    default:
      return {-x, -y, -z};
  }
}

/// The inverse of on_face().
std::array<double, 3> direction_of(std::uint32_t face, const OnFace& at) {
  switch (face) {
    case 0:
      return {at.m, -at.t, -at.s};
    case 1:
      return {-at.m, -at.t, at.s};
    case 2:
      return {at.s, at.m, at.t};
    case 3:
      return {at.s, -at.m, -at.t};
    case 4:
      return {at.s, -at.t, at.m};
    default:
      return {-at.s, -at.t, -at.m};
  }
}

}  // namespace

CubePlace place_on_cube(const std::array<double, 3>& direction) {
  const auto [x, y, z] = direction;
  const double longest = std::max({std::fabs(x), std::fabs(y), std::fabs(z)});
  const std::uint32_t axis = std::fabs(x) == longest ? 0 : std::fabs(y) == longest ? 1 : 2;
  const std::uint32_t face = 2 * axis + (direction[axis] < 0 ? 1 : 0);
  const OnFace at = on_face(face, direction);
  return {face, (at.s / at.m + 1) / 2, (at.t / at.m + 1) / 2};
}

// The surface is folded at the edge: a point beyond it continues on the neighbour.
CubeTexel texel_across_edge(const CubeTexel& at, std::int64_t extent) {
  const auto count = static_cast<double>(extent);
  const double s = (2 * static_cast<double>(at.x) + 1) / count - 1;
  const double t = (2 * static_cast<double>(at.y) + 1) / count - 1;
  const OnFace folded{std::clamp(s, -1.0, 1.0), std::clamp(t, -1.0, 1.0), 1 - 1 / count};
  const CubePlace place = place_on_cube(direction_of(at.face, folded));
  const auto index = [&](double within) {
    return std::min(static_cast<std::int64_t>(within * count), extent - 1);
  };
  return {place.face, index(place.s), index(place.t)};
}

}  // namespace harness::devices
