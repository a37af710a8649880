// SPDX-License-Identifier: Apache-2.0
// Version: the version of the runtime's interface that is compiled.
#pragma once

#include <cuda_runtime_api.h>

namespace harness::cudart {

#ifdef AFTERLIFE_CUDART_VERSION
constexpr int kVersion = AFTERLIFE_CUDART_VERSION;  // From cuda12/names.h.
#else
constexpr int kVersion = CUDART_VERSION;
#endif

}  // namespace harness::cudart
