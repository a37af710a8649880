// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcudart/driver.h"

#include <dlfcn.h>

namespace harness::cudart {

Driver driver;

static void* library = nullptr;

template <class Function>
static bool look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

static bool look_all_up() {
  library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  look_up(driver.outer_call, "afterlife_outer_call");
  bool has_all = true;
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  has_all = look_up(driver.name, #name) && has_all;
#include "harness/driver/cuda/cuda.def"
  return look_up(driver.cuGetProcAddress_v2, "cuGetProcAddress_v2") &&
         look_up(driver.cuLinkCreate_v2, "cuLinkCreate_v2") &&
         look_up(driver.cuLinkAddData_v2, "cuLinkAddData_v2") &&
         look_up(driver.cuLinkComplete, "cuLinkComplete") &&
         look_up(driver.cuLinkDestroy, "cuLinkDestroy") && has_all;
}

bool open_driver() {
  static const bool is_open = look_all_up();
  return is_open;
}

}  // namespace harness::cudart
