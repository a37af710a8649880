// SPDX-License-Identifier: Apache-2.0
// The kernel: reads a buffer and writes an answer. Integers are equal on every device.
#include "harness/devices/sim/kernel.h"

extern "C" __global__ void add_one(const int* buffer, int* answer) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  answer[thread] = buffer[thread] + 1;
}

AFTERLIFE_KERNELS(example, add_one)
