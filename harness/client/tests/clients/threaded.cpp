// SPDX-License-Identifier: Apache-2.0
// A program of two its own threads, each of which frees the same memory: no one knows who does so
// first. It knows nothing of us.
#include <cuda.h>
#include <dlfcn.h>

#include <thread>

namespace {

template <class Function>
Function find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

void let_go(CUcontext context, CUdeviceptr address) {
  find<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context);
  find<CUresult (*)(CUdeviceptr)>("cuMemFree_v2")(address);
}

}  // namespace

int main() {
  CUcontext context = nullptr;
  CUdeviceptr address = 0;
  find<CUresult (*)(unsigned)>("cuInit")(0);
  find<CUresult (*)(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, 0);
  find<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context);
  find<CUresult (*)(CUdeviceptr*, size_t)>("cuMemAlloc_v2")(&address, 64);
  std::thread other(let_go, context, address);
  let_go(context, address);
  other.join();
}
