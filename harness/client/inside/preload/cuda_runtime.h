// SPDX-License-Identifier: Apache-2.0
// CUDA runtime: whether a program contains one. It depends on the C library only.
#pragma once

namespace harness::entries {

/// Returns whether libcudart.so is loaded, or the executable has kernels, and so a static runtime.
bool has_cuda_runtime();

}  // namespace harness::entries
