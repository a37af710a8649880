// SPDX-License-Identifier: Apache-2.0
// A block is freed in one stream while another one uses it. With an argument, the former waits.
#include "check.h"

__global__ void fill(int* values, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = value;
}

/// Memory of one stream: allocated and freed in its order.
class Allocator {
 public:
  explicit Allocator(cudaStream_t stream) : stream_(stream) {}
  int* allocate(int n) const {
    int* values;
    CHECK(cudaMallocAsync(&values, n * sizeof *values, stream_));
    return values;
  }
  void free(int* values) const { CHECK(cudaFreeAsync(values, stream_)); }

 private:
  cudaStream_t stream_;
};

int main(int count, char**) {
  constexpr int n = 1024;
  const bool is_fixed = count > 1;
  cudaStream_t first, second;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  const Allocator allocator(first);
  int* values = allocator.allocate(n);
  fill<<<n / 256, 256, 0, first>>>(values, n, 1);
  CHECK(cudaEventRecord(event, first));
  CHECK(cudaStreamWaitEvent(second, event, 0));
  fill<<<n / 256, 256, 0, second>>>(values, n, 2);  // is used in the other stream
  CHECK(cudaEventRecord(event, second));
  if (is_fixed) CHECK(cudaStreamWaitEvent(first, event, 0));
  allocator.free(values);                           // goes back in its own
  int* others = allocator.allocate(n);
  fill<<<n / 256, 256, 0, first>>>(others, n, 3);
  allocator.free(others);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
