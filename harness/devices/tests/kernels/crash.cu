// SPDX-License-Identifier: Apache-2.0
// Kernels that end in a signal, or never, in the middle of a block whose other threads wait.
#include "harness/devices/sim/kernel.h"

extern "C" __global__ void divide(int* numbers) {
  __syncthreads();
  if (threadIdx.x == 1) numbers[0] = numbers[1] / numbers[2];
  __syncthreads();
}

extern "C" __global__ void count(int* numbers) {
  __syncthreads();
  if (threadIdx.x == 1) numbers[0] += 1;
}

extern "C" __global__ void spin(int* numbers) {
  __syncthreads();
  const volatile int* go_on = numbers + 1;
  if (threadIdx.x == 1)
    while (*go_on == 0) continue;
  __syncthreads();
}

AFTERLIFE_KERNELS(crash, divide, count, spin)
