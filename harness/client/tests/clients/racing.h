// SPDX-License-Identifier: Apache-2.0
// Parts that the programs of several threads in C++ share. They know nothing of Afterlife.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace racing {

inline void* find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return dlsym(library, name);
}
#define TEXT(name) #name
#define NAME(name) TEXT(name)  // With the version that cuda.h gives it.
#define CALL(name, ...) reinterpret_cast<decltype(&name)>(find(NAME(name)))(__VA_ARGS__)

constexpr size_t kBytes = 4096;

inline bool fixed = false;
inline CUcontext context = nullptr;

inline void enter() { CALL(cuCtxSetCurrent, context); }

/// The program is wrong, and knows it.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

inline CUdeviceptr allocate() {
  CUdeviceptr made = 0;
  CALL(cuMemAlloc, &made, kBytes);
  return made;
}
inline void free(CUdeviceptr memory) { CALL(cuMemFree, memory); }
inline CUstream make_stream() {
  CUstream made = nullptr;
  CALL(cuStreamCreate, &made, CU_STREAM_NON_BLOCKING);
  return made;
}
inline void use(CUdeviceptr memory, CUstream stream) {
  CALL(cuMemsetD8Async, memory, 1, kBytes, stream);
}
inline void wait_for(CUstream stream) { CALL(cuStreamSynchronize, stream); }

/// Runs the part that the command names: NAME [fixed [ROUNDS]]. Returns the exit code.
template <class Parts>
int run(const Parts& parts, int count, char** arguments) {
  fixed = count > 2 && std::string_view(arguments[2]) == "fixed";
  const int rounds = count > 3 ? std::atoi(arguments[3]) : 1;
  CALL(cuInit, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  enter();
  for (const auto& part : parts)
    if (count > 1 && part.name == arguments[1]) {
      for (int i = 0; i < rounds; ++i) part.run();
      return 0;
    }
  return 3;
}

}  // namespace racing
