// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA 12 that are not simulated, one for each such row of interface.def.
#include "harness/client/inside/libcudart/unsupported.h"

#undef cudaSignalExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync

#define CUDART_ROW(name, status, twin, group, test) \
  CUDART_UNSUPPORTED_ROW(name, status, twin, group, test)
#include "harness/client/inside/libcudart/cuda12/interface.def"
