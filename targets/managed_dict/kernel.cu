// SPDX-License-Identifier: Apache-2.0
// The kernels: what a step of training does under autocast: scale, and round to the type in use.
// Integers, so that values are equal everywhere. The arguments are what the context managers'
// attributes say.
#include "harness/kernel.h"

struct Frame {
  const int* in;
  int* out;
};

static_assert(sizeof(Frame) == 16, "as launcher.h has it");

/// `frame` is followed through device memory to the tensors.
extern "C" __global__ void autocast_step(const Frame* frame, int enabled, int dtype, int scale) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = frame->in[thread];
  frame->out[thread] = enabled ? (value * scale) >> dtype : value;
}

AFTERLIFE_KERNELS(managed_dict, autocast_step)
