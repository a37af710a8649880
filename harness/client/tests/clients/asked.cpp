// SPDX-License-Identifier: Apache-2.0
// A program of which much can go differently: two streams, work that may lag behind, and storage
// that may be given out again. It uses a buffer whose end is ordered after nothing. It has a thread
// that it ends for a fork, as libraries of linear algebra have. With an argument it goes this many
// rounds, and makes no mistake.
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

template <class Function>
Function find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

std::atomic<bool> helps{true};

void help() {
  while (helps) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::thread helper;

void end_helper() {
  helps = false;
  if (helper.joinable()) helper.join();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 4;
  helper = std::thread(help);
  pthread_atfork(end_helper, nullptr, nullptr);
  const auto allocate = find<CUresult (*)(CUdeviceptr*, size_t, CUstream)>("cuMemAllocAsync");
  const auto release = find<CUresult (*)(CUdeviceptr, CUstream)>("cuMemFreeAsync");
  const auto set =
      find<CUresult (*)(CUdeviceptr, unsigned char, size_t, CUstream)>("cuMemsetD8Async");
  CUcontext context = nullptr;
  CUstream streams[2] = {};
  find<CUresult (*)(unsigned)>("cuInit")(0);
  find<CUresult (*)(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, 0);
  find<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context);
  for (CUstream& stream : streams)
    find<CUresult (*)(CUstream*, unsigned)>("cuStreamCreate")(&stream, CU_STREAM_NON_BLOCKING);
  CUresult last = CUDA_SUCCESS;
  std::printf("begun; ");  // Not written before the end.
  for (int i = 0; i < rounds; ++i) {
    CUdeviceptr address = 0;
    allocate(&address, 64, streams[0]);
    set(address, 1, 64, streams[0]);
    last = set(address, 2, 64, streams[argc == 1 && i == 2]);
    release(address, streams[0]);
  }
  find<CUresult (*)()>("cuCtxSynchronize")();
  std::printf("over\n");
  end_helper();
  return last == CUDA_SUCCESS ? 0 : 7;
}
