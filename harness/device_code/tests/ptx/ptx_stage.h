// SPDX-License-Identifier: Apache-2.0
// PtxStage: programs that pass kernels as PTX to our libcuda.so.1.
#pragma once

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/client/tests/inside/libcuda_stage.h"
#include "harness/device_code/tests/ptx/assembler.h"

namespace harness::testing {

/// The entry point of this name, in libcuda.so.1.
#define AFTERLIFE_CU(name) get(#name, &DriverTable::name)

class PtxStage : public Libcuda {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "modules are not compiled with a sanitizer";
    setenv("AFTERLIFE_PTX_CACHE", (own_libcuda().parent_path() / "ptx").c_str(), 1);
    Libcuda::SetUp();
  }

  static std::string file(const std::string& name) {
    std::ifstream in("harness/device_code/tests/ptx/" + name);
    EXPECT_TRUE(in) << name;
    return {std::istreambuf_iterator<char>(in), {}};
  }
  CUmodule load(const std::string& text) const {
    EXPECT_EQ(assembler_complaint(text), "");
    return load_image(text.c_str());
  }
  /// Loads an image that need not be valid PTX.
  CUmodule load_image(const void* image) const {
    CUmodule module = nullptr;
    EXPECT_EQ(AFTERLIFE_CU(cuModuleLoadData)(&module, image), CUDA_SUCCESS);
    return module;
  }
  CUfunction function(CUmodule module, const char* name) const {
    CUfunction found = nullptr;
    EXPECT_EQ(AFTERLIFE_CU(cuModuleGetFunction)(&found, module, name), CUDA_SUCCESS) << name;
    return found;
  }
  /// Memory of the device that holds these values.
  template <class T>
  CUdeviceptr copy_of(const std::vector<T>& values) const {
    CUdeviceptr address = 0;
    const std::size_t bytes = values.size() * sizeof(T);
    EXPECT_EQ(AFTERLIFE_CU(cuMemAlloc_v2)(&address, bytes), CUDA_SUCCESS);
    EXPECT_EQ(AFTERLIFE_CU(cuMemcpyHtoD_v2)(address, values.data(), bytes), CUDA_SUCCESS);
    return address;
  }
  template <class T>
  std::vector<T> values_at(CUdeviceptr address, std::size_t count) const {
    std::vector<T> values(count);
    EXPECT_EQ(AFTERLIFE_CU(cuMemcpyDtoH_v2)(values.data(), address, count * sizeof(T)),
              CUDA_SUCCESS);
    return values;
  }
  void release(CUdeviceptr address) const {
    EXPECT_EQ(AFTERLIFE_CU(cuMemFree_v2)(address), CUDA_SUCCESS);
  }
  template <class... Values>
  CUresult launch(CUfunction kernel, unsigned blocks, unsigned threads, unsigned shared_bytes,
                  Values... values) const {
    void* parameters[] = {&values..., nullptr};
    return AFTERLIFE_CU(cuLaunchKernel)(kernel, blocks, 1, 1, threads, 1, 1, shared_bytes, nullptr,
                                        parameters, nullptr);
  }
};

/// A stage whose tests run on our libcuda.so.1, and on a GPU if there is one.
template <class Stage>
class OnGpuToo : public Stage, public ::testing::WithParamInterface<Backend> {
 protected:
  using Stage::Stage;
  Backend backend() const override { return GetParam(); }
};

#define INSTANTIATE_ON_GPU_TOO(Suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, ::testing::Values(Backend::libcuda, Backend::gpu), \
                           backend_name)

}  // namespace harness::testing
