// SPDX-License-Identifier: Apache-2.0
// A runtime that is not ours, of the same name: it can do nothing.
#include <cuda_runtime_api.h>

#define OTHER extern "C" __attribute__((visibility("default")))

OTHER cudaError_t cudaMalloc(void** /*address*/, size_t /*bytes*/) { return cudaErrorUnknown; }
OTHER cudaError_t cudaFree(void* /*address*/) { return cudaErrorUnknown; }
OTHER cudaError_t cudaMemset(void* /*target*/, int /*value*/, size_t /*count*/) {
  return cudaErrorUnknown;
}
