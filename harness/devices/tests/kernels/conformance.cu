// SPDX-License-Identifier: Apache-2.0
// Kernels for the conformance suite of devices/.
#include "harness/devices/sim/kernel.h"
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

// Each thread reads a separate place.
extern "C" __global__ void fetch_places(cudaTextureObject_t texture, const float* places,
                                        float* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = tex2D<float>(texture, places[2 * i], places[2 * i + 1]);
}

extern "C" __global__ void fetch_texels(cudaTextureObject_t texture, int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = tex1Dfetch<int>(texture, i);
}

// Each block has a row.
extern "C" __global__ void add_one_to_surface(cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(threadIdx.x * sizeof(int));
  const int y = static_cast<int>(blockIdx.x);
  surf2Dwrite(surf2Dread<int>(surface, x, y) + 1, surface, x, y);
}

AFTERLIFE_KERNELS(conformance, add_one, copy_indirect, mixed, fetch_places, fetch_texels,
                  add_one_to_surface)
