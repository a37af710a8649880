// SPDX-License-Identifier: Apache-2.0
// A program that frees memory and copies from it, as a user's would: it knows nothing of us.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

namespace {

void* library = nullptr;

template <class Function>
Function find(const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

[[gnu::noinline]] void let_go(CUdeviceptr address) {
  find<CUresult (*)(CUdeviceptr)>("cuMemFree_v2")(address);
  std::fflush(stdout);
}

[[gnu::noinline]] CUresult use_again(CUdeviceptr address) {
  int value = 0;
  const CUresult status =
      find<CUresult (*)(void*, CUdeviceptr, size_t)>("cuMemcpyDtoH_v2")(&value, address, 4);
  std::fflush(stdout);
  return status;
}
}
#pragma GCC visibility pop

int main() {
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return 9;
  CUcontext context = nullptr;
  CUdeviceptr address = 0;
  find<CUresult (*)(unsigned)>("cuInit")(0);
  find<CUresult (*)(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, 0);
  find<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context);
  find<CUresult (*)(CUdeviceptr*, size_t)>("cuMemAlloc_v2")(&address, 64);
  let_go(address);
  return use_again(address) == CUDA_SUCCESS ? 0 : 1;
}
