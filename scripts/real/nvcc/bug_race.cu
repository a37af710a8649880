// SPDX-License-Identifier: Apache-2.0
// Two streams write to the same memory without order. With an argument, an event orders them.
#include "check.h"

__global__ void fill(int* values, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = value;
}

int main(int count, char**) {
  constexpr int n = 1024;
  const bool is_fixed = count > 1;
  cudaStream_t first, second;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  int* values;
  CHECK(cudaMalloc(&values, n * sizeof *values));
  fill<<<n / 256, 256, 0, first>>>(values, n, 1);   // first write
  CHECK(cudaEventRecord(event, first));
  if (is_fixed) CHECK(cudaStreamWaitEvent(second, event, 0));
  fill<<<n / 256, 256, 0, second>>>(values, n, 2);  // second write
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(values));
  return 0;
}
