// SPDX-License-Identifier: Apache-2.0
// CUDA runtime: whether a program contains one, or is instrumented. It depends on the C library
// only.
#pragma once

#include <dlfcn.h>

#include "harness/client/inside/libcuda/instrument_hooks.h"

namespace harness::entries {

/// Returns whether libcudart.so is loaded, or the executable has kernels, and so a static runtime.
bool has_cuda_runtime();

/// Returns whether the program is instrumented.
inline bool is_instrumented() { return dlsym(RTLD_DEFAULT, kTakeInstrumentHooks) != nullptr; }

}  // namespace harness::entries
