// SPDX-License-Identifier: Apache-2.0
// Devices, errors, versions and entry points of the driver.
#include <cuda_profiler_api.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

// Some of the functions are deprecated, and called nevertheless.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

extern "C" {
cudaError_t cudaGetDriverEntryPoint_ptsz(const char*, void**, unsigned long long,
                                         cudaDriverEntryPointQueryResult*);
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char*, void**, unsigned, unsigned long long,
                                                  cudaDriverEntryPointQueryResult*);
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t);
}

namespace harness::testing {
namespace {

class RuntimeDevice : public Runtime {
 protected:
  /// Returns a function of the driver.
  template <class Function>
  static Function* driver(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status{};
    EXPECT_OK(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &status));
    EXPECT_EQ(status, cudaDriverEntryPointSuccess);
    return reinterpret_cast<Function*>(found);
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(driver<decltype(::cuCtxGetCurrent)>("cuCtxGetCurrent")(&context), CUDA_SUCCESS);
    return context;
  }
  static void on_new_thread(const std::function<void()>& act) { std::thread(act).join(); }
};

TEST_F(RuntimeDevice, IsCountedAndChosen) {
  int count = 0;
  int device = 9;
  EXPECT_OK(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 1);
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
  on_new_thread([] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_OK(cudaSetDevice(0));
    EXPECT_NE(current(), nullptr);
  });
  expect_error(cudaSetDevice(1), cudaErrorInvalidDevice);
  expect_error(cudaSetDevice(-1), cudaErrorInvalidDevice);
  expect_error(cudaGetDevice(nullptr), cudaErrorInvalidValue);
  EXPECT_OK(cudaChooseDevice(&(device = 9), std::make_unique<cudaDeviceProp>().get()));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cudaSetValidDevices(&device, 1));
  expect_error(cudaSetValidDevices(nullptr, 1), cudaErrorInvalidValue);
}

TEST_F(RuntimeDevice, AThreadGetsItsPrimaryContextAtItsFirstCall) {
  CUcontext here = nullptr;
  EXPECT_OK(cudaFree(nullptr));
  here = current();
  EXPECT_NE(here, nullptr);
  on_new_thread([&] {
    EXPECT_OK(cudaFree(nullptr));
    EXPECT_EQ(current(), here);
  });
}

TEST_F(RuntimeDevice, AContextOfTheDriversStays) {
  on_new_thread([] {
    CUcontext made = nullptr;
    ASSERT_EQ(driver<decltype(::cuCtxCreate_v4)>("cuCtxCreate")(&made, nullptr, 0, 0),
              CUDA_SUCCESS);
    int* memory = on_device();
    EXPECT_EQ(current(), made);
    EXPECT_OK(cudaFree(memory));
    EXPECT_OK(cudaDeviceReset());  // Not that one.
    EXPECT_EQ(current(), made);
    ASSERT_EQ(driver<decltype(::cuCtxDestroy_v2)>("cuCtxDestroy")(made), CUDA_SUCCESS);
    EXPECT_OK(cudaDeviceSynchronize());
    EXPECT_NE(current(), made);
  });
}

TEST_F(RuntimeDevice, IsInitializedWithoutBecomingCurrent) {
  on_new_thread([] {
    EXPECT_OK(cudaInitDevice(0, 0, 0));
    EXPECT_EQ(current(), nullptr);
    expect_error(cudaInitDevice(4, 0, 0), cudaErrorInvalidDevice);
    expect_error(cudaInitDevice(0, 0, 8), cudaErrorInvalidValue);
  });
}

TEST_F(RuntimeDevice, IsResetAndUsedAgain) {
  int* memory = on_device();
  EXPECT_OK(cudaDeviceReset());
  expect_error(cudaFree(memory), cudaErrorInvalidValue);
  memory = on_device(all(1));
  AddArguments arguments(memory, 2);
  EXPECT_OK(cudaLaunchKernel(&host.add, 1, 8, arguments.get(), 0, nullptr));
  EXPECT_EQ(read(memory), all(3));
  EXPECT_OK(cudaFree(memory));
}

TEST_F(RuntimeDevice, OtherThreadsGetTheNewContextAfterAReset) {
  std::atomic<int> step{0};
  const auto wait_for = [&](int wanted) {
    while (step != wanted) std::this_thread::yield();
  };
  std::thread other([&] {
    EXPECT_OK(cudaFree(nullptr));
    step = 1;
    wait_for(2);
    int* memory = on_device(all(4));
    EXPECT_EQ(read(memory), all(4));
    EXPECT_OK(cudaFree(memory));
  });
  wait_for(1);
  EXPECT_OK(cudaDeviceReset());
  step = 2;
  other.join();
}

TEST_F(RuntimeDevice, HasFlags) {
  unsigned flags = 0;
  EXPECT_OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  EXPECT_OK(cudaGetDeviceFlags(&flags));
  EXPECT_EQ(flags & cudaDeviceScheduleMask, unsigned{cudaDeviceScheduleYield});
  EXPECT_NE(flags & cudaDeviceMapHost, 0U);
  EXPECT_OK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
  expect_error(cudaSetDeviceFlags(0x1000), cudaErrorInvalidValue);
}

TEST_F(RuntimeDevice, SaysWhatItIsLike) {
  cudaDeviceProp properties{};
  ASSERT_OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT_NE(std::strlen(properties.name), 0U);
  EXPECT_EQ(properties.major, 8);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.maxThreadsDim[2], 64);
  EXPECT_EQ(properties.maxGridSize[1], 65535);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.totalConstMem, 65536U);
  EXPECT_GT(properties.totalGlobalMem, 0U);
  EXPECT_EQ(properties.unifiedAddressing, 1);
  EXPECT_EQ(properties.memoryPoolsSupported, 1);
  EXPECT_NE(properties.uuid.bytes[0], properties.uuid.bytes[15]);
  expect_error(cudaGetDeviceProperties(&properties, 7), cudaErrorInvalidDevice);
  int value = 0;
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
  EXPECT_EQ(value, 1024);
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  EXPECT_EQ(value, 8);
  std::size_t width = 0;
  const cudaChannelFormatDesc floats =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  EXPECT_OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &floats, 0));
  EXPECT_EQ(width, std::size_t{1} << 28);
}

TEST_F(RuntimeDevice, HasAPlaceOnTheBus) {
  char text[16] = {};
  int device = 9;
  ASSERT_OK(cudaDeviceGetPCIBusId(text, sizeof text, 0));
  EXPECT_EQ(std::strlen(text), 12U);
  EXPECT_OK(cudaDeviceGetByPCIBusId(&device, text));
  EXPECT_EQ(device, 0);
}

TEST_F(RuntimeDevice, HasLimitsAndConfigurations) {
  std::size_t limit = 0;
  EXPECT_OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  EXPECT_OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT_EQ(limit, std::size_t{1} << 20);
  cudaFuncCache cache = cudaFuncCachePreferNone;
  EXPECT_OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  EXPECT_OK(cudaDeviceGetCacheConfig(&cache));
  EXPECT_EQ(cache, cudaFuncCachePreferL1);
  EXPECT_OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
  cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
  EXPECT_OK(cudaDeviceGetSharedMemConfig(&banks));
  EXPECT_EQ(banks, cudaSharedMemBankSizeFourByte);
  EXPECT_OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
  expect_error(cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(9)),
               cudaErrorInvalidValue);
}

TEST_F(RuntimeDevice, HasNoPeers) {
  int can_access = 9;
  EXPECT_OK(cudaDeviceCanAccessPeer(&can_access, 0, 0));
  EXPECT_EQ(can_access, 0);
  expect_error(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  expect_error(cudaDeviceEnablePeerAccess(0, 1), cudaErrorInvalidValue);
  expect_error(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  expect_error(cudaDeviceDisablePeerAccess(5), cudaErrorInvalidDevice);
  int value = 0;
  expect_error(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
               cudaErrorInvalidDevice);
}

/// These have no other effect than that there is a context.
TEST_F(RuntimeDevice, MarksAreCallsThatInitialize) {
  const std::array<cudaError_t (*)(), 4> marks{
      cudaProfilerStart, cudaProfilerStop, cudaCtxResetPersistingL2Cache, cudaDeviceSynchronize};
  for (const auto mark : marks)
    on_new_thread([&] {
      EXPECT_OK(mark());
      EXPECT_NE(current(), nullptr);
    });
}

// ---- errors -------------------------------------------------------------------------------------

TEST_F(RuntimeDevice, TheLastErrorIsKeptUntilItIsTaken) {
  EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
  EXPECT_OK(cudaFree(nullptr));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  on_new_thread([] { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); });
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(RuntimeDevice, ErrorsHaveNamesAndDescriptions) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  const auto none = static_cast<cudaError_t>(12345);
  EXPECT_STREQ(cudaGetErrorName(none), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(none), "unrecognized error code");
}

TEST_F(RuntimeDevice, VersionsAreThoseOfTheInterface) {
  int runtime = 0;
  int driver_version = 0;
  EXPECT_OK(cudaRuntimeGetVersion(&runtime));
  EXPECT_EQ(runtime, CUDART_VERSION);
  EXPECT_OK(cudaDriverGetVersion(&driver_version));
  EXPECT_GE(driver_version, runtime);
}

TEST_F(RuntimeDevice, FunctionsOfTheDriverAreFoundByName) {
  void* legacy = nullptr;
  void* own = nullptr;
  void* by_version = nullptr;
  cudaDriverEntryPointQueryResult status{};
  EXPECT_OK(cudaGetDriverEntryPoint("cuStreamQuery", &legacy, cudaEnableDefault, &status));
  EXPECT_OK(cudaGetDriverEntryPoint_ptsz("cuStreamQuery", &own, cudaEnableDefault, &status));
  EXPECT_NE(legacy, nullptr);
  EXPECT_NE(own, nullptr);
  EXPECT_NE(legacy, own);
  EXPECT_OK(cudaGetDriverEntryPointByVersion("cuStreamQuery", &by_version, 13000, cudaEnableDefault,
                                             &status));
  EXPECT_EQ(by_version, legacy);
  EXPECT_OK(cudaGetDriverEntryPointByVersion_ptsz("cuStreamQuery", &by_version, 13000,
                                                  cudaEnableDefault, &status));
  EXPECT_EQ(by_version, own);
  EXPECT_OK(cudaGetDriverEntryPoint("cuNoSuchThing", &legacy, cudaEnableDefault, &status));
  EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
}

TEST_F(RuntimeDevice, OtherFunctionsSayOnceThatTheyAreNotThere) {
  ::testing::internal::CaptureStderr();
  expect_error(cudaGraphicsMapResources(0, nullptr, nullptr), cudaErrorNotSupported);
  expect_error(cudaGraphicsMapResources(0, nullptr, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "afterlife: not simulated, returned cudaErrorNotSupported: cudaGraphicsMapResources\n");
}

}  // namespace
}  // namespace harness::testing
