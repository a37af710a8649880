// Sets memory of the device after it was freed.
#include <cuda_runtime_api.h>

int main() {
  int* memory = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&memory), 64) != cudaSuccess) return 3;
  cudaFree(memory);
  cudaMemset(memory, 0, 64);  // Too late.
  return 0;
}
