// SPDX-License-Identifier: Apache-2.0
// Tiles of cooperative groups with a reduction in each.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void sum(int* out) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int total = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  if (tile.thread_rank() == 0) out[threadIdx.x / 32] = total;
}

int main() {
  int* sums;
  int found[2] = {};
  CHECK(cudaMalloc(&sums, sizeof found));
  void* arguments[] = {&sums};
  CHECK(cudaLaunchCooperativeKernel(sum, dim3(1), dim3(64), arguments, 0, nullptr));
  CHECK(cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(sums));
  return judge(found[0] == 496 && found[1] == 1520);
}
