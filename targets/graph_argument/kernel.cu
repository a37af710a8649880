// SPDX-License-Identifier: Apache-2.0
// The kernels. Each reads a block's input (`in`) and writes elsewhere (`mid`, `out`), so that a
// value depends on which kernels ran, but not on how often. Each way to pass a block has its own
// kernel, because a fault names the kernel: blocks passed by launch(builder, ...) or as bare
// addresses are the caller's to keep.
#include "harness/devices/sim/kernel.h"

static const int kWords = 64;

struct Block {
  int in[kWords];
  int mid[kWords];
  int out[kWords];
  const Block* next;
};
static_assert(sizeof(Block) == 776, "as layout.h has it");

/// Returns the thread's element. In a larger grid several threads do the same work.
static __device__ int element() { return (blockIdx.x * blockDim.x + threadIdx.x) % kWords; }

extern "C" __global__ void add_one(Block* x) {
  const int i = element();
  x->out[i] = x->in[i] + 1;
}

/// Computes in floats and stores their bits. No contraction, so that all compilers agree.
extern "C" __global__ void saxpy(float a, const Block* x, Block* y) {
  const int i = element();
  const float product = a * static_cast<float>(x->in[i]);
  const float sum = product + static_cast<float>(y->in[i]);
  int bits;
  memcpy(&bits, &sum, sizeof bits);
  y->out[i] = bits;
}

/// Sets each element of y to the sum of its block of x.
extern "C" __global__ void block_sum(const Block* x, Block* y) {
  __shared__ int partial[32];
  const unsigned lane = threadIdx.x;
  partial[lane] = x->in[element()];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (lane < stride) partial[lane] += partial[lane + stride];
    __syncthreads();
  }
  y->out[element()] = partial[0];
}

extern "C" __global__ void produce(Block* x) {
  const int i = element();
  x->mid[i] = 2 * x->in[i];
}

extern "C" __global__ void consume(const Block* x, Block* y) {
  const int i = element();
  y->out[i] = x->mid[i] + y->in[i];
}

/// Follows `next` through device memory, possibly in a circle. Both blocks are passed as bare
/// addresses.
extern "C" __global__ void chase(const Block* x, Block* y) {
  for (int step = 0; step < 4 && x->next; ++step) x = x->next;
  const int i = element();
  y->out[i] = x->in[i];
}

/// Same as add_one, but for launch(builder, ...).
extern "C" __global__ void captured(Block* x) {
  const int i = element();
  x->out[i] = x->in[i] + 1;
}

/// Works through memory that the graph allocates. Its address is passed as a bare number.
extern "C" __global__ void scratch(int* memory, Block* y) {
  const int i = element();
  memory[i] = 3 * y->in[i];
  y->out[i] = memory[i];
}

/// Ends the loop in whose body it runs.
extern "C" __global__ void leave(cudaGraphConditionalHandle condition) {
  cudaGraphSetConditional(condition, 0);
}

#if !defined(__CUDACC__)

AFTERLIFE_KERNELS(graph_argument, add_one, saxpy, block_sum, produce, consume, chase, captured,
                  scratch, leave)

#endif
