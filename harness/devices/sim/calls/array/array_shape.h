// SPDX-License-Identifier: Apache-2.0
// ArrayShape: the extents that an array is asked for with, checked, and its texels.
//
// Source: cuda.h, the comments of cuArray3DCreate and cuMipmappedArrayCreate.
#pragma once

#include <cuda.h>

#include "harness/devices/sim/textures/texels.h"

namespace harness::devices::calls {

/// Checks extents, format and flags. Errors: what the documentation says.
CUresult check_array(const CUDA_ARRAY3D_DESCRIPTOR& wanted);

/// The same of a mipmapped one, which is smaller in one and two dimensions.
CUresult check_mipmapped_array(const CUDA_ARRAY3D_DESCRIPTOR& wanted);

/// Returns the texels of an array at address 0: rows and slices are one behind the other.
Texels texels_of(const CUDA_ARRAY3D_DESCRIPTOR& wanted);

/// Returns what a level of a mipmapped array is: each extent is half of the one before, but for
/// layers and faces.
CUDA_ARRAY3D_DESCRIPTOR level_of(CUDA_ARRAY3D_DESCRIPTOR whole, unsigned index);

/// Returns how many levels there can be.
unsigned level_limit(const CUDA_ARRAY3D_DESCRIPTOR& whole);

}  // namespace harness::devices::calls
