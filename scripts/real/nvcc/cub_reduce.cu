// SPDX-License-Identifier: Apache-2.0
// A reduction by CUB, in memory from its caching allocator.
#include <cub/device/device_reduce.cuh>
#include <cub/util_allocator.cuh>

#include "check.h"

int main() {
  constexpr int n = 5000;
  cub::CachingDeviceAllocator allocator(2, 3, 24);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  static int host[n];
  for (int& value : host) value = 1;
  int *in, *out, sum = 0;
  void* temporary;
  size_t bytes = 0;
  CHECK(allocator.DeviceAllocate(reinterpret_cast<void**>(&in), sizeof host, stream));
  CHECK(allocator.DeviceAllocate(reinterpret_cast<void**>(&out), sizeof sum, stream));
  CHECK(cudaMemcpyAsync(in, host, sizeof host, cudaMemcpyHostToDevice, stream));
  CHECK(cub::DeviceReduce::Sum(nullptr, bytes, in, out, n, stream));
  CHECK(allocator.DeviceAllocate(&temporary, bytes, stream));
  CHECK(cub::DeviceReduce::Sum(temporary, bytes, in, out, n, stream));
  CHECK(cudaMemcpyAsync(&sum, out, sizeof sum, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(allocator.DeviceFree(temporary));
  CHECK(allocator.DeviceFree(in));
  CHECK(allocator.DeviceFree(out));
  return judge(sum == n);
}
