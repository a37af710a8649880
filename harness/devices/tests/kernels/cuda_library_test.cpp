// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: libraries, whose kernels belong to no context.
#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class CudaLibrary : public OnEveryDevice {
 protected:
  CUlibrary load() const {
    CUlibrary library = nullptr;
    EXPECT_EQ(cuLibraryLoadData(&library, image(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              CUDA_SUCCESS);
    return library;
  }
};

TEST_P(CudaLibrary, AKernelOfALibraryIsLaunchedAndDescribed) {
  run([this] {
    CUlibrary library = load();
    CUkernel kernel = nullptr;
    CUDA_OK(cuLibraryGetKernel(&kernel, library, "add_one"));
    CUlibrary owner = nullptr;
    CUDA_OK(cuKernelGetLibrary(&owner, kernel));
    EXPECT_EQ(owner, library);
    std::size_t offset = 99;
    CUDA_OK(cuKernelGetParamInfo(kernel, 1, &offset, nullptr));
    EXPECT_EQ(offset, sizeof(CUdeviceptr));
    int threads = 0;
    CUDA_OK(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    EXPECT_GT(threads, 0);
    CUfunction function = nullptr;
    CUDA_OK(cuKernelGetFunction(&function, kernel));
    CUdeviceptr address = allocate(64);
    write_int(address, 1);
    int count = 1;
    CUDA_OK(launch(function, 1, 1, nullptr, {&address, &count}));
    CUDA_OK(launch(reinterpret_cast<CUfunction>(kernel), 1, 1, nullptr, {&address, &count}));
    EXPECT_EQ(read_int(address), 3);
  });
  expect_no_fault();
}

TEST_P(CudaLibrary, AnInvalidImageOrAMissingKernelIsRefused) {
  run([this] {
    CUlibrary library = nullptr;
    const char text[64] = "no image";
    CUkernel kernel = nullptr;
    CUmoduleLoadingMode mode{};
    CUDA_OK(cuModuleGetLoadingMode(&mode));
    const CUresult status =
        cuLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (mode == CU_MODULE_EAGER_LOADING || status != CUDA_SUCCESS)
      EXPECT_NE(status, CUDA_SUCCESS);
    else  // Found out when something of it is wanted.
      EXPECT_NE(cuLibraryGetKernel(&kernel, library, "add_one"), CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryGetKernel(&kernel, load(), "no such kernel"), CUDA_ERROR_NOT_FOUND);
  });
  expect_no_fault();
}

TEST_P(CudaLibrary, ALibraryUsedAfterItsEndIsAFault) {
  run([this] {
    CUlibrary library = load();
    CUDA_OK(cuLibraryUnload(library));
    CUkernel kernel = nullptr;
    EXPECT_NE(cuLibraryGetKernel(&kernel, library, "add_one"), CUDA_SUCCESS);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaLibrary, ALibraryUnloadedTwiceIsAFault) {
  run([this] {
    CUlibrary library = load();
    CUDA_OK(cuLibraryUnload(library));
    EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaLibrary);

}  // namespace
}  // namespace harness::testing
