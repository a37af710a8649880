// SPDX-License-Identifier: Apache-2.0
// Driver: libcuda.so.1, opened at run time, each call with its newest symbol by cuda.h's own
// macros.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "page.h"

/// Why a row cannot go on.
struct Stop {
  std::string why;
};

template <class F>
struct Call;
template <class... P>
struct Call<CUresult(P...)> {
  CUresult (*at)(P...) = nullptr;
  const char* name = "";
  CUresult operator()(P... p) const {
    if (!at) throw Stop{std::string("the driver has no ") + name};
    return at(p...);
  }
};

struct Driver {
#define FUNCTION(f) Call<decltype(::f)> f;
#include "functions.def"
#undef FUNCTION
};
inline Driver cu;

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
inline bool open_driver() {
  void* lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!lib) {
    fprintf(stderr, "%s\n", dlerror());
    return false;
  }
#define FUNCTION(f)    \
  cu.f.name = TEXT(f); \
  cu.f.at = reinterpret_cast<decltype(cu.f.at)>(dlsym(lib, TEXT(f)));
#include "functions.def"
#undef FUNCTION
  return true;
}

inline std::string name(CUresult r) {
  const char* n = nullptr;
  if (cu.cuGetErrorName.at) cu.cuGetErrorName.at(r, &n);
  std::string s = n ? n : text("code %d", r);
  return r == 0 ? "ok" : s.rfind("CUDA_ERROR_", 0) == 0 ? s.substr(11) + text("(%d)", r) : s;
}
/// Returns the name, which lives until eight others were asked for.
inline const char* N(CUresult r) {
  static thread_local std::string kept[8];
  static thread_local int i;
  std::string& s = kept[i++ % 8];
  s = name(r);
  return s.c_str();
}
/// CU(call) throws where the call fails; CODE(call) returns its code. Both note it as the row's
/// step.
#define CU(x)                                                \
  do {                                                       \
    snprintf(page->step, sizeof page->step, "%s", #x);       \
    CUresult r_ = cu.x;                                      \
    if (r_) throw Stop{std::string(#x) + " -> " + name(r_)}; \
  } while (0)
#define CODE(x) (snprintf(page->step, sizeof page->step, "%s", #x), cu.x)
