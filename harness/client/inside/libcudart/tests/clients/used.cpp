// SPDX-License-Identifier: Apache-2.0
// Sets memory of the device after it was freed. With an argument, it is aborted before.
#include <cuda_runtime_api.h>

#include <cstdlib>

int main(int count, char**) {
  int* memory = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&memory), 64) != cudaSuccess) return 3;
  if (count > 1) std::abort();
  cudaFree(memory);
  cudaMemset(memory, 0, 64);  // Too late.
  return 0;
}
