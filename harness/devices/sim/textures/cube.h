// SPDX-License-Identifier: Apache-2.0
// Cube: the face and texel that a direction from the middle of a cube hits.
//
// Source: CUDA C++ programming guide, *Cubemap textures*, its table of faces. The guide does not
// specify the face if two coordinates have the same magnitude; here the first of x, y and z is
// used.
#pragma once

#include <array>
#include <cstdint>

namespace harness::devices {

/// A position on a face. Each coordinate is from 0 to 1.
struct CubePlace {
  std::uint32_t face = 0;
  double s = 0;
  double t = 0;
};

CubePlace place_on_cube(const std::array<double, 3>& direction);

struct CubeTexel {
  std::uint32_t face = 0;
  std::int64_t x = 0;
  std::int64_t y = 0;
};

/// Returns the texel beyond an edge of a face of `extent` by `extent` texels: one coordinate of
/// `at` is -1 or `extent`.
CubeTexel texel_across_edge(const CubeTexel& at, std::int64_t extent);

}  // namespace harness::devices
