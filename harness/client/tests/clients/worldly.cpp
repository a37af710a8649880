// SPDX-License-Identifier: Apache-2.0
// A program that frees twice in every other run of its own: it counts its runs in the file that it
// is given. What it reads of the world as well, by its first argument, says so only if that is held
// still. It knows nothing of us.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace {

constexpr time_t kHeldUntil = 1'700'000'001;

template <class Function>
Function find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

bool is_held(const std::string& read) {
  timespec now{};
  unsigned char drawn[4] = {};
  if (read == "clock") return clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec < kHeldUntil;
  if (read == "chrono")
    return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) < kHeldUntil;
  if (read == "chance") return getrandom(drawn, 4, 0) == 4 && drawn[0] == 0x3c && drawn[1] == 0x47;
  return getpid() < 0;
}

}  // namespace

int main(int, char** arguments) {
  std::FILE* runs = std::fopen(arguments[2], "a");
  std::fputc('x', runs);
  long run = std::ftell(runs);
  std::fclose(runs);
  if (is_held(arguments[1])) run = 1;
  CUcontext context = nullptr;
  CUdeviceptr address = 0;
  find<CUresult (*)(unsigned)>("cuInit")(0);
  find<CUresult (*)(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, 0);
  find<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context);
  find<CUresult (*)(CUdeviceptr*, size_t)>("cuMemAlloc_v2")(&address, 64);
  for (long i = 0; i <= run % 2; ++i) find<CUresult (*)(CUdeviceptr)>("cuMemFree_v2")(address);
}
