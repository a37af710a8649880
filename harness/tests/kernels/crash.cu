// Kernels that end in a signal, in the middle of a block whose other threads wait.
#include "harness/kernel.h"

extern "C" __global__ void divide(int* numbers) {
  __syncthreads();
  if (threadIdx.x == 1) numbers[0] = numbers[1] / numbers[2];
  __syncthreads();
}

extern "C" __global__ void count(int* numbers) {
  __syncthreads();
  if (threadIdx.x == 1) numbers[0] += 1;
}

AFTERLIFE_KERNELS(crash, divide, count)
