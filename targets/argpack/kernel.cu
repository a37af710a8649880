// SPDX-License-Identifier: Apache-2.0
// The kernels: each thread walks from the argument buffer to one nested pack, and reports the
// values of the pack and the arrays. Values are integers, and one saxpy without contraction.
#include "harness/devices/sim/kernel.h"

struct Pack {
  int a;
  int unused;
  const Pack* c;
};

struct ArgumentBlock {
  const Pack* pack;
  const int* array;
  int* gradient;
  float* external;
  const Pack* bound[3];
  int scalar;
  int unused;
};

struct ResultBlock {
  int pack[64];
  int array[64];
  float in[64];
  float out[64];
};

struct RuntimeContext {
  const ArgumentBlock* arguments;
  ResultBlock* results;
};

static_assert(sizeof(Pack) == 16 && sizeof(ArgumentBlock) == 64, "as layout.h has it");
static_assert(sizeof(ResultBlock) == 1024 && sizeof(RuntimeContext) == 16, "as layout.h has it");

static const int kUsesArray = 1;
static const int kUsesGradient = 2;
static const int kUsesExternal = 4;
static const int kUsesScalar = 8;

static __device__ void use_array(RuntimeContext context, int flags, int thread) {
  const int element = context.arguments->array[thread];
  context.results->array[thread] = element;
  if (flags & kUsesGradient) context.arguments->gradient[thread] = 2 * element;
}

static __device__ void use_external(RuntimeContext context, int thread) {
  float* external = context.arguments->external;
  const float x = external[thread];
  const float y = 1.1f * x + 0.3f;
  external[64 + thread] = y;
  context.results->in[thread] = x;
  context.results->out[thread] = y;
}

static __device__ void use_pack(RuntimeContext context, int flags, const Pack* pack, int thread) {
  int value = pack->a;
  if (flags & kUsesScalar) value += context.arguments->scalar;
  context.results->pack[thread] = value;
}

/// LLVM backends: finds nested packs by their device addresses. If there is an array, odd threads
/// use the array instead.
extern "C" __global__ void walk_packs(RuntimeContext context, int depth, int flags) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (flags & kUsesExternal) use_external(context, thread);
  if ((flags & kUsesArray) && (thread & 1)) return use_array(context, flags, thread);
  const Pack* pack = context.arguments->pack;
  for (int level = thread / 2 % depth; level > 0; --level) pack = pack->c;
  use_pack(context, flags, pack, thread);
}

/// gfx: each pack is bound separately.
extern "C" __global__ void read_bound(RuntimeContext context, int depth, int flags) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (flags & kUsesExternal) use_external(context, thread);
  if ((flags & kUsesArray) && (thread & 1)) return use_array(context, flags, thread);
  use_pack(context, flags, context.arguments->bound[thread / 2 % depth], thread);
}

AFTERLIFE_KERNELS(argpack, walk_packs, read_bound)
