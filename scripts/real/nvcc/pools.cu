// SPDX-License-Identifier: Apache-2.0
// Two pools of stream-ordered memory that moves between streams by an event; copies to a peer.
#include "check.h"

__global__ void add(int* values, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += value;
}

int main() {
  constexpr int n = 1024;
  cudaStream_t first, second;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool;
  CHECK(cudaMemPoolCreate(&pool, &properties));
  int *values, *copy, found = 0;
  for (int round = 0; round < 3; ++round) {
    CHECK(cudaMallocFromPoolAsync(&values, n * sizeof *values, pool, first));
    CHECK(cudaMallocAsync(&copy, n * sizeof *copy, second));
    CHECK(cudaMemsetAsync(values, 0, n * sizeof *values, first));
    add<<<n / 256, 256, 0, first>>>(values, n, round);
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(second, event, 0));
    CHECK(cudaMemcpyPeerAsync(copy, 0, values, 0, n * sizeof *values, second));
    add<<<n / 256, 256, 0, second>>>(copy, n, 10);
    CHECK(cudaMemcpyAsync(&found, copy + n - 1, sizeof found, cudaMemcpyDeviceToHost, second));
    CHECK(cudaFreeAsync(values, second));
    CHECK(cudaFreeAsync(copy, second));
    CHECK(cudaStreamSynchronize(second));
    if (found != round + 10) return judge(false);
  }
  CHECK(cudaMemPoolDestroy(pool));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  return judge(true);
}
