// SPDX-License-Identifier: Apache-2.0
// ArrayShape: checks the extents of a requested array, and computes its texels.
//
// Source: cuda.h, the comments of cuArray3DCreate and cuMipmappedArrayCreate.
#pragma once

#include <cuda.h>

#include "harness/devices/sim/textures/texels.h"

namespace harness::devices::calls {

/// Checks extents, format and flags. Errors: the documented ones.
CUresult check_array(const CUDA_ARRAY3D_DESCRIPTOR& wanted);

/// Does the same for a mipmapped array, whose limits are smaller in one and two dimensions.
CUresult check_mipmapped_array(const CUDA_ARRAY3D_DESCRIPTOR& wanted);

/// Returns the texels of an array at address 0. Rows and slices are contiguous.
Texels texels_of(const CUDA_ARRAY3D_DESCRIPTOR& wanted);

/// Returns the descriptor of a level of a mipmapped array. Each extent is half of the previous one,
/// except layers and faces.
CUDA_ARRAY3D_DESCRIPTOR level_of(CUDA_ARRAY3D_DESCRIPTOR whole, unsigned index);

/// Returns the maximum number of levels.
unsigned level_limit(const CUDA_ARRAY3D_DESCRIPTOR& whole);

}  // namespace harness::devices::calls
