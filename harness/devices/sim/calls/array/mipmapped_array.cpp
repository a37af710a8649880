// SPDX-License-Identifier: Apache-2.0
// Mipmapped arrays: one block of memory, in which each level is an array.
#include <algorithm>

#include "harness/devices/sim/calls/array/array_shape.h"
#include "harness/devices/sim/calls/array/copy_shape.h"

namespace harness::devices::calls {

/// Levels begin at multiples of this, so that each of them has the alignment of textures.
static constexpr std::uint64_t kLevelAlignment = 512;

/// Adds an array for each level; the levels follow each other in the block.
static void add_levels(SimDevice& sim, MipmappedArray& whole,
                       const std::vector<CUDA_ARRAY3D_DESCRIPTOR>& descriptors,
                       const std::vector<Texels>& levels) {
  const Block& block = sim.memory().block(whole.block);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    Array& level = sim.handles().arrays.add();
    level.context = whole.context;
    level.birth = whole.birth;
    level.block = whole.block;
    level.descriptor = descriptors[i];
    level.texels = levels[i];
    level.texels.birth = whole.birth;
    level.texels.address += block.base;
    level.is_level = true;
    whole.levels.push_back(&level);
  }
}

CUresult Calls::cuMipmappedArrayCreate(CUmipmappedArray* handle,
                                       const CUDA_ARRAY3D_DESCRIPTOR* wanted,
                                       unsigned level_count) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (handle == nullptr || wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_mipmapped_array(*wanted); error != CUDA_SUCCESS) return error;
  std::vector<CUDA_ARRAY3D_DESCRIPTOR> descriptors;
  std::vector<Texels> levels;
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < std::clamp(level_count, 1U, level_limit(*wanted)); ++i) {
    descriptors.push_back(level_of(*wanted, i));
    Texels& texels = levels.emplace_back(texels_of(descriptors.back()));
    texels.address = bytes;
    const std::uint64_t own = extent_bytes(texels.depth, texels.slice, 0);
    bytes = extent_bytes(extent_bytes(1, bytes, own) / kLevelAlignment + 1, kLevelAlignment, 0);
  }
  const std::uint32_t index = give_out(sim, Origin::array, bytes);
  if (index == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  Block& block = sim.memory().block(index);
  block.context = sim.threads().context();
  MipmappedArray& whole = sim.handles().mipmapped_arrays.add();
  whole.context = block.context;
  whole.birth = block.birth;
  whole.block = index;
  add_levels(sim, whole, descriptors, levels);
  *handle = whole.as<CUmipmappedArray>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray handle, unsigned index) {
  if (level == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const MipmappedArray* whole =
      sim.find(sim.handles().mipmapped_arrays, handle, kMipmappedArrayKind);
  if (whole == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (index >= whole->levels.size()) return CUDA_ERROR_INVALID_VALUE;
  *level = whole->levels[index]->as<CUarray>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuMipmappedArrayDestroy(CUmipmappedArray handle) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  MipmappedArray* whole = sim.handles().mipmapped_arrays.find(handle);
  if (whole == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!whole->alive) {
    sim.ledger().double_free(whole->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  whole->alive = false;  // Set first, because we may have to wait, and no other task may destroy it
                         // during the wait.
  for (Array* level : whole->levels) level->alive = false;
  may_wait(sim, *whole->context);
  if (sim.memory().block(whole->block).dead) return CUDA_SUCCESS;  // The context was destroyed.
  free_now(sim, whole->block);
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
