// SPDX-License-Identifier: Apache-2.0
// Texels: the elements of an array, a texture or a surface: their memory, and their layout in it.
#pragma once

#include <cstdint>

#include "harness/base/base.h"
#include "harness/devices/sim/textures/texel_format.h"

namespace harness::devices {

/// Rows are `pitch` bytes apart; slices, or layers, `slice` bytes.
struct Texels {
  BirthId birth = BirthId::none;  ///< The lifetime of the memory that was referred to.
  std::uint64_t address = 0;
  TexelFormat format;
  std::uint64_t width = 1;  ///< Each extent is at least 1.
  std::uint64_t height = 1;
  std::uint64_t depth = 1;  ///< Number of slices, or layers.
  std::uint64_t pitch = 0;
  std::uint64_t slice = 0;
  bool is_layered = false;
  bool is_cube = false;  ///< Every six slices are the faces of a cube.

  /// Returns the address of an existing texel.
  std::uint64_t at(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return address + z * slice + y * pitch + x * format.bytes();
  }
  std::uint64_t row_bytes() const { return width * format.bytes(); }
  std::uint64_t layers() const { return is_layered ? depth : 1; }
  bool has_solid_depth() const { return !is_layered && !is_cube; }
};

}  // namespace harness::devices
