// SPDX-License-Identifier: Apache-2.0
// Libcuda: our libcuda.so.1, or the real one, loaded as a program does that knows nothing of us.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "harness/devices/tests/cuda_stage.h"
#include "harness/driver/cuda/cuda.h"

namespace harness::testing {

class Libcuda : public ::testing::Test {
 protected:
  /// Which library it is: `libcuda` for ours, `gpu` for the real one.
  virtual Backend backend() const { return Backend::libcuda; }

  void SetUp() override {
    const std::string& why = why_no_gpu();  // Which has to be asked first.
    const bool is_real = backend() == Backend::gpu;
    const std::string file = is_real ? "libcuda.so.1" : own_libcuda().string();
    if (is_real && !why.empty()) GTEST_SKIP() << why;
    if (!is_real && !std::filesystem::exists(file)) GTEST_SKIP() << file << " is not built";
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    ASSERT_EQ(get("cuInit", &DriverTable::cuInit)(0), CUDA_SUCCESS);
    CUcontext context = nullptr;
    ASSERT_EQ(get("cuDevicePrimaryCtxRetain", &DriverTable::cuDevicePrimaryCtxRetain)(&context, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(get("cuCtxSetCurrent", &DriverTable::cuCtxSetCurrent)(context), CUDA_SUCCESS);
  }

  /// The exported function of this name, as the type that the seam has for it.
  template <class Function>
  Function get(const char* name, Function DriverTable::*) const {
    return reinterpret_cast<Function>(dlsym(library, name));
  }

  void* library = nullptr;
};

}  // namespace harness::testing
