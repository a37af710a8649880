// SPDX-License-Identifier: Apache-2.0
// libnvJitLink.so.13: preloaded into each program under `afterlife run`, like libnvrtc.so.13. It
// depends on the C library only, and loads libafterlife_nvjitlink.so, beside it, at the first call.
#include "harness/base/handed_over.h"
#include "harness/device_code/libnvjitlink/interface.h"

namespace harness::nvjitlink {

static void* find(const char* name, void** known) {
  return entries::handed_over("libafterlife_nvjitlink.so", name, known);
}

#define AFTERLIFE_NVJITLINK extern "C" __attribute__((visibility("default"))) Result

// The header's functions are inline, and call functions with a version in their names.
#define NVJITLINK_FUNCTION(name, parameters, arguments)                               \
  AFTERLIFE_NVJITLINK nvJitLink##name parameters {                                    \
    static void* known = nullptr;                                                     \
    const auto call =                                                                 \
        reinterpret_cast<decltype(Interface::name)>(find("nvJitLink" #name, &known)); \
    return call != nullptr ? call arguments : Result::ERROR_INTERNAL;                 \
  }                                                                                   \
  AFTERLIFE_NVJITLINK __nvJitLink##name##_13_0 parameters { return nvJitLink##name arguments; }
#include "harness/device_code/libnvjitlink/interface.def"
#undef NVJITLINK_FUNCTION

AFTERLIFE_NVJITLINK nvJitLinkVersion(unsigned* major, unsigned* minor) {
  static void* known = nullptr;
  const auto call =
      reinterpret_cast<Result (*)(unsigned*, unsigned*)>(find("nvJitLinkVersion", &known));
  return call != nullptr ? call(major, minor) : Result::ERROR_INTERNAL;
}

}  // namespace harness::nvjitlink
