// SPDX-License-Identifier: Apache-2.0
// The kernels: pack a source, reduce the scratch of all ranks, compare a destination with rows. The
// last two take the address of a block in device memory that holds their parameters.
#include "harness/devices/sim/kernel.h"

struct Row {
  int displacement;
  int count;
  int base;
  int slope;
};

struct CheckBlock {
  const int* data;
  int row_count;
  int mismatches;
  Row rows[8];
};

struct ReduceBlock {
  int* target;
  const int* pieces[8];
  int piece_count;
  int count;
};

static_assert(sizeof(CheckBlock) == 144 && sizeof(ReduceBlock) == 80, "as layout.h has it");

extern "C" __global__ void pack(int* data, int first, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) data[i] = first + i;
}

extern "C" __global__ void reduce(const ReduceBlock* block) {
  const int count = block->count;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    int sum = 0;
    for (int piece = 0; piece < block->piece_count; ++piece) sum += block->pieces[piece][i];
    block->target[i] = sum;
  }
}

/// Compares with one thread per row.
extern "C" __global__ void check(CheckBlock* block) {
  const int thread = threadIdx.x;
  if (thread >= block->row_count) return;
  const Row row = block->rows[thread];
  const int* data = block->data + row.displacement;
  int mismatches = 0;
  for (int i = 0; i < row.count; ++i) mismatches += data[i] != row.base + i * row.slope;
  if (mismatches != 0) atomicAdd(&block->mismatches, mismatches);
}

AFTERLIFE_KERNELS(alltoallv, pack, reduce, check)
