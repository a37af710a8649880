// SPDX-License-Identifier: Apache-2.0
// The kernel: a training step under autocast: scales, and rounds to the current type. Integers,
// so that values are equal on every device. The arguments are attributes of the context
// managers.
#include "harness/devices/sim/kernel.h"

struct Frame {
  const int* in;
  int* out;
};

static_assert(sizeof(Frame) == 16, "as launcher.h has it");

/// Reads the addresses of the tensors from `frame`, in device memory.
extern "C" __global__ void autocast_step(const Frame* frame, int enabled, int dtype, int scale) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = frame->in[thread];
  frame->out[thread] = enabled ? (value * scale) >> dtype : value;
}

AFTERLIFE_KERNELS(managed_dict, autocast_step)
