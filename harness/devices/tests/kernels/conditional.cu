// SPDX-License-Identifier: Apache-2.0
// Kernels that set the value a conditional node asks.
#include "harness/devices/sim/kernel.h"

extern "C" __global__ void set_condition(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}

// Counts, and stops the loop when it has counted far enough.
extern "C" __global__ void count_until(cudaGraphConditionalHandle handle, int* count, int limit) {
  *count += 1;
  cudaGraphSetConditional(handle, *count < limit ? 1u : 0u);
}

#if !defined(__CUDACC__)

AFTERLIFE_KERNELS(conditional, set_condition, count_until)

#endif
