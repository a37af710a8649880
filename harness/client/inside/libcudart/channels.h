// SPDX-License-Identifier: Apache-2.0
// Channels: the format of an array's elements, in the runtime's and the driver's representation.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace harness::cudart {

struct Channels {
  CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT8;
  unsigned count = 0;
};

/// Translates 1, 2 or 4 integers or floating-point numbers of the same size. Returns false for
/// others.
bool to_driver(const cudaChannelFormatDesc& from, Channels& to);

/// Translates the driver's format. Formats for which the runtime has no bit sizes become `None`.
cudaChannelFormatDesc from_driver(const Channels& from);

}  // namespace harness::cudart
