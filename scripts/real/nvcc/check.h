// SPDX-License-Identifier: Apache-2.0
// Check: exits the program if a call of the CUDA runtime fails.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", call, cudaGetErrorString(error));
  std::exit(2);
}
#define CHECK(call) check(call, #call)

/// Prints whether the values are right. Returns the exit code of the program.
inline int judge(bool is_right) {
  std::puts(is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
}
