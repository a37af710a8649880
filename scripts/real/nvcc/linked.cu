// SPDX-License-Identifier: Apache-2.0
// Device code in two files, linked by nvcc -rdc=true; the other file is linked_part.cu.
#include "check.h"

extern __device__ int offset;
__device__ int twice(int value);

__global__ void fill(int* values) { values[threadIdx.x] = twice(threadIdx.x) + offset; }

int main() {
  int *values, found[8] = {};
  CHECK(cudaMalloc(&values, sizeof found));
  fill<<<1, 8>>>(values);
  CHECK(cudaMemcpy(found, values, sizeof found, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(values));
  return judge(found[0] == 5 && found[7] == 19);
}
