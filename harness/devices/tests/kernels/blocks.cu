// SPDX-License-Identifier: Apache-2.0
// Kernels whose threads work together, and saxpy, whose threads do not.
#include "harness/devices/sim/kernel.h"

extern "C" __global__ void saxpy(float* y, const float* x, float a, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = a * x[i] + y[i];
}

/// Writes where each thread is, for grids and blocks of three dimensions.
extern "C" __global__ void where(std::uint32_t* out) {
  const std::uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const std::uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const std::uint32_t size = blockDim.x * blockDim.y * blockDim.z;
  out[block * size + thread] = block << 16 | threadIdx.z << 12 | threadIdx.y << 6 | threadIdx.x;
}

/// Sums a block's part of `in`, in a fixed order.
extern "C" __global__ void reduce(const std::uint32_t* in, std::uint32_t* out) {
  __shared__ std::uint32_t part[1024];
  const std::uint32_t thread = threadIdx.x;
  part[thread] = in[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  for (std::uint32_t half = 512; half > 0; half /= 2) {
    if (thread < half && thread + half < blockDim.x) part[thread] += part[thread + half];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = part[0];
}

/// The same with dynamic shared memory, which must start as zeros.
extern "C" __global__ void reduce_dynamic(const std::uint32_t* in, std::uint32_t* out) {
  AFTERLIFE_DYNAMIC_SHARED(std::uint32_t, part);
  const std::uint32_t thread = threadIdx.x;
  part[thread] += in[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  for (std::uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) part[thread] += part[thread + half];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = part[0];
}

/// Every thread reads what its neighbour wrote. Without the barrier in between: a race.
extern "C" __global__ void rotate(std::uint32_t* memory, int barriers) {
  __shared__ std::uint32_t tile[256];
  const std::uint32_t thread = threadIdx.x;
  tile[thread] = memory[blockIdx.x * blockDim.x + thread];
  if (barriers) __syncthreads();
  const std::uint32_t next = tile[(thread + 1) % blockDim.x];
  memory[blockIdx.x * blockDim.x + thread] = next;
}

/// Sums a warp by shuffles; every warp on its own.
extern "C" __global__ void reduce_warp(const std::uint32_t* in, std::uint32_t* out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t sum = in[i];
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

/// One value per thread from each of the exchanges.
extern "C" __global__ void exchange(std::uint32_t* out) {
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t* mine = out + threadIdx.x * 8;
  mine[0] = __shfl_sync(0xffffffff, lane, 5);
  mine[1] = __shfl_up_sync(0xffffffff, lane, 1);
  mine[2] = __shfl_xor_sync(0xffffffff, lane, 3);
  mine[3] = __shfl_down_sync(0xffffffff, lane, 2, 8);
  mine[4] = __ballot_sync(0xffffffff, lane % 3 == 0);
  mine[5] = __any_sync(0xffffffff, lane == 31) * 2 + __all_sync(0xffffffff, lane < 31);
  mine[6] = __syncthreads_count(lane < 4);
  mine[7] = __syncthreads_or(threadIdx.x == 1) * 2 + __syncthreads_and(threadIdx.x != 1);
}

/// The two halves of a warp exchange apart, then threads leave early and the rest continues.
extern "C" __global__ void diverge(std::uint32_t* out) {
  const std::uint32_t thread = threadIdx.x;
  const std::uint32_t lane = thread % 32;
  const std::uint32_t mask = lane < 16 ? 0x0000ffff : 0xffff0000;
  out[thread] = __shfl_sync(mask, thread, lane < 16 ? 3 : 20);
  if (lane % 2) return;
  __syncthreads();
  if (thread == 0) out[0] += 1000;
}

/// Half of the block waits for the other, which waits for the rest of its warp.
extern "C" __global__ void wait_for_ever(std::uint32_t* out) {
  if (threadIdx.x % 2 == 0)
    __syncthreads();
  else
    __syncwarp();
  out[threadIdx.x] = 1;
}

extern "C" __global__ void count_all(std::uint32_t* total, unsigned long long* wide, int* least,
                                     int* most) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(total, 1u);
  atomicAdd(wide, 1ull << 32);
  atomicMin(least, -i);
  atomicMax(most, i);
}

/// The block that is last adds up what each block has left: atomics order the blocks.
extern "C" __global__ void sum_last(std::uint32_t* parts, std::uint32_t* done, std::uint32_t* sum) {
  parts[blockIdx.x] = blockIdx.x + 1;
  if (atomicAdd(done, 1u) + 1 < gridDim.x) return;
  *sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) *sum += parts[i];
}

__constant__ std::uint32_t squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};

/// Reads constants, and its own array by an index that no compiler can know.
extern "C" __global__ void look_up(std::uint32_t* memory) {
  volatile std::uint32_t mine[8];
  for (std::uint32_t i = 0; i < 8; ++i) mine[i] = squares[(memory[0] + i) % 8];
  memory[1 + threadIdx.x] = mine[memory[0] % 8 + threadIdx.x % 2];
}

AFTERLIFE_KERNELS(blocks, saxpy, where, reduce, reduce_dynamic, rotate, reduce_warp, exchange,
                  diverge, wait_for_ever, count_all, look_up, sum_last)
