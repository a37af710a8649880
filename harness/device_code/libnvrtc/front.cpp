// SPDX-License-Identifier: Apache-2.0
// libnvrtc.so.13: preloaded into each program under `afterlife run`, so that clients that search
// for NVRTC find it already loaded.
//
// It is also in processes that never call it. So it depends on the C library only, and loads
// libafterlife_nvrtc.so, beside it, at the first call.
#include "harness/base/handed_over.h"
#include "harness/device_code/nvrtc/interface.h"

namespace harness::nvrtc {

static void* find(const char* name, void** known) {
  return entries::handed_over("libafterlife_nvrtc.so", name, known);
}

#define NVRTC_FUNCTION(name, parameters, arguments)                                     \
  extern "C" __attribute__((visibility("default"))) Result name parameters {            \
    static void* known = nullptr;                                                       \
    const auto call = reinterpret_cast<decltype(Interface::name)>(find(#name, &known)); \
    return call != nullptr ? call arguments : Result::ERROR_INTERNAL_ERROR;             \
  }
#include "harness/device_code/nvrtc/interface.def"
#undef NVRTC_FUNCTION

extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(Result result) {
  static void* known = nullptr;
  const auto call = reinterpret_cast<const char* (*)(Result)>(find("nvrtcGetErrorString", &known));
  return call != nullptr ? call(result) : "NVRTC_ERROR unknown";
}

}  // namespace harness::nvrtc
