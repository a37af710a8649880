// SPDX-License-Identifier: Apache-2.0
// Grid sum: each block sums its part; after a barrier across the grid, block 0 adds the sums.
#pragma once

#include <cooperative_groups.h>

#include "check.h"

constexpr int kBlocks = 4;
constexpr int kThreads = 64;
constexpr int kCount = 1 << 12;

template <bool kWaits>
__global__ void sum(const int* values, int* sums, int* total) {
  const auto grid = cooperative_groups::this_grid();
  __shared__ int part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  for (unsigned i = grid.thread_rank(); i < kCount; i += grid.size()) atomicAdd(&part, values[i]);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = part;  // stores
  if (kWaits) grid.sync();
  if (grid.thread_rank() == 0) {
    int all = 0;
    for (int i = 0; i < kBlocks; ++i) all += sums[i];  // adds up
    *total = all;
  }
  grid.sync();
  sums[blockIdx.x] = *total - part;
}

/// Returns the exit code of the program.
template <bool kWaits>
int run() {
  int values[kCount], sums[kBlocks], total = 0, wanted = 0;
  for (int i = 0; i < kCount; ++i) values[i] = i % 7, wanted += i % 7;
  int *of_values, *of_sums, *of_total;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&of_values, sizeof values));
  CHECK(cudaMalloc(&of_sums, sizeof sums));
  CHECK(cudaMalloc(&of_total, sizeof total));
  CHECK(cudaMemcpy(of_values, values, sizeof values, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(of_sums, 0, sizeof sums));
  void* arguments[] = {&of_values, &of_sums, &of_total};
  CHECK(cudaStreamSynchronize(0));
  CHECK(cudaLaunchCooperativeKernel((void*)sum<kWaits>, kBlocks, kThreads, arguments, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&total, of_total, sizeof total, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(sums, of_sums, sizeof sums, cudaMemcpyDeviceToHost));
  bool is_right = total == wanted;
  int rest = 0;
  for (int i = 0; i < kBlocks; ++i) rest += sums[i];
  is_right = is_right && rest == (kBlocks - 1) * wanted;
  for (int* memory : {of_values, of_sums, of_total}) CHECK(cudaFree(memory));
  CHECK(cudaStreamDestroy(stream));
  return judge(is_right);
}
