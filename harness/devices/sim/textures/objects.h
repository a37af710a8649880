// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces: the records behind their handles.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "harness/devices/sim/handles.h"
#include "harness/devices/sim/textures/texels.h"

namespace harness::devices {

struct Context;

/// A CUDA array. Its lifetime is that of its memory, whose address programs do not see.
struct Array : Object {
  Context* context = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};  ///< The descriptor from the call.
  std::uint32_t block = 0;
  Texels texels;
  bool is_level = false;  ///< It is part of a mipmapped array, and only ends with it.
  void reset() {
    texels = {};
    is_level = false;
  }
};

/// A mipmapped array: one lifetime, and an array for each of its levels.
struct MipmappedArray : Object {
  Context* context = nullptr;
  std::uint32_t block = 0;
  std::vector<Array*> levels;
  void reset() { levels.clear(); }
};

struct Texture : Object {
  Context* context = nullptr;
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC sampling{};
  CUDA_RESOURCE_VIEW_DESC view{};
  bool has_view = false;
  Texels texels;
  std::vector<Texels> smaller_levels;  ///< The levels after level 0, which is `texels`.
  void reset() {
    has_view = false;
    texels = {};
    smaller_levels.clear();
  }

  bool has(unsigned flag) const { return (sampling.flags & flag) != 0; }
  /// Returns whether texels are read as f32 numbers, which can be filtered.
  bool reads_numbers() const {
    return texels.format.is_float() ||
           (texels.format.can_be_normalized() && !has(CU_TRSF_READ_AS_INTEGER));
  }
  bool is_mipmapped() const { return resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY; }
  bool is_linear_memory() const { return resource.resType == CU_RESOURCE_TYPE_LINEAR; }
};

struct Surface : Object {
  Context* context = nullptr;
  CUDA_RESOURCE_DESC resource{};
  Texels texels;
  void reset() { texels = {}; }
};

}  // namespace harness::devices
