// SPDX-License-Identifier: Apache-2.0
// A module of a program, with its own runtime inside.
#include <cuda_runtime_api.h>

#define MODULE extern "C" __attribute__((visibility("default")))

MODULE cudaError_t module_allocate(void** memory) { return cudaMalloc(memory, 64); }
MODULE cudaError_t module_choose(int device) { return cudaSetDevice(device); }
MODULE cudaError_t module_last_error() { return cudaGetLastError(); }
