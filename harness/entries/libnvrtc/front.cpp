// libnvrtc.so.13: put in front of every program that runs under `afterlife run`, so that whoever
// looks for NVRTC finds that it is loaded already.
//
// It is in processes that never call it, too: so it needs the C library alone, and hands over to
// libafterlife_nvrtc.so, beside it, at the first call.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "harness/nvrtc/interface.h"

namespace harness::nvrtc {
namespace {

constexpr char kRest[] = "libafterlife_nvrtc.so";
constexpr unsigned kPathBytes = 4096;

void* open_rest() {
  Dl_info self{};
  char path[kPathBytes + sizeof kRest] = {};
  if (dladdr(reinterpret_cast<void*>(&open_rest), &self) == 0) return nullptr;
  const char* slash = strrchr(self.dli_fname, '/');
  const auto folder = static_cast<size_t>(slash == nullptr ? 0 : slash + 1 - self.dli_fname);
  if (folder > kPathBytes) return nullptr;
  memcpy(path, self.dli_fname, folder);
  memcpy(path + folder, kRest, sizeof kRest);
  void* opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) fprintf(stderr, "afterlife: no NVRTC: %s\n", dlerror());
  return opened;
}

/// Returns the function of this name in the other library, or null. It is looked up once.
void* find(const char* name, void** known) {
  void* found = __atomic_load_n(known, __ATOMIC_ACQUIRE);
  if (found != nullptr) return found;
  void* rest = open_rest();
  if (rest == nullptr) return nullptr;
  found = dlsym(rest, name);
  __atomic_store_n(known, found, __ATOMIC_RELEASE);
  return found;
}

}  // namespace

#define NVRTC_FUNCTION(name, parameters, arguments)                                     \
  extern "C" __attribute__((visibility("default"))) Result name parameters {            \
    static void* known = nullptr;                                                       \
    const auto call = reinterpret_cast<decltype(Interface::name)>(find(#name, &known)); \
    return call != nullptr ? call arguments : Result::ERROR_INTERNAL_ERROR;             \
  }
#include "harness/nvrtc/interface.def"
#undef NVRTC_FUNCTION

extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(Result result) {
  static void* known = nullptr;
  const auto call = reinterpret_cast<const char* (*)(Result)>(find("nvrtcGetErrorString", &known));
  return call != nullptr ? call(result) : "NVRTC_ERROR unknown";
}

}  // namespace harness::nvrtc
