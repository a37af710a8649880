// Kernels for the conformance suite of devices/.
#include "harness/kernel.h"
extern "C" __global__ void add_one(int* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += 1;
}

// One value per block, so that a launch of several blocks can be stopped between them.
extern "C" __global__ void copy_indirect(const int* const* table, int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = table[0][blockIdx.x];
}

struct Pair {
  char small;
  double large;
};

extern "C" __global__ void mixed(char first, Pair pair, int* out) {
  *out = first + pair.small + static_cast<int>(pair.large);
}

AFTERLIFE_KERNELS(conformance, add_one, copy_indirect, mixed)
