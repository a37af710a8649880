// SPDX-License-Identifier: Apache-2.0
// Kernels: launches, variables, what kernels are like, and libraries.
#include <cstring>
#include <fstream>
#include <string>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t cudaMemcpyToSymbol_ptds(const void*, const void*, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol_ptds(void*, const void*, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void*, const void*, size_t, size_t, cudaMemcpyKind,
                                         cudaStream_t);
cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void*, const void*, size_t, size_t, cudaMemcpyKind,
                                           cudaStream_t);
}

namespace harness::testing {
namespace {

class RuntimeKernels : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    memory_ = on_device();
  }
  void TearDown() override {
    EXPECT_OK(cudaFree(memory_));
    Runtime::TearDown();
  }
  /// Returns what the memory holds after a launch that adds 2, and clears it.
  Values added(cudaError_t launched) {
    EXPECT_OK(launched);
    const Values values = read(memory_);
    EXPECT_OK(cudaMemset(memory_, 0, kBytes));
    return values;
  }

  int* memory_ = nullptr;
};

// ---- launches -----------------------------------------------------------------------------------

TEST_F(RuntimeKernels, AreLaunchedByTheirAddresses) {
  AddArguments two(memory_, 2);
  EXPECT_EQ(added(cudaLaunchKernel(&host.add, 2, 4, two.get(), 0, nullptr)), all(2));
  EXPECT_EQ(added(cudaLaunchKernel_ptsz(&host.add, 1, 8, two.get(), 0, nullptr)), all(2));
  EXPECT_EQ(added(cudaLaunchCooperativeKernel(&host.add, 1, 8, two.get(), 0, nullptr)), all(2));
  EXPECT_EQ(added(cudaLaunchCooperativeKernel_ptsz(&host.add, 1, 8, two.get(), 0, nullptr)),
            all(2));
}

TEST_F(RuntimeKernels, AreLaunchedWithAttributes) {
  AddArguments two(memory_, 2);
  cudaLaunchAttribute priority{};
  priority.id = cudaLaunchAttributePriority;
  priority.val.priority = 0;
  cudaLaunchConfig_t config{1, 8, 0, nullptr, &priority, 1};
  EXPECT_EQ(added(cudaLaunchKernelExC(&config, &host.add, two.get())), all(2));
  EXPECT_EQ(added(cudaLaunchKernelExC_ptsz(&config, &host.add, two.get())), all(2));
  expect_error(cudaLaunchKernelExC(nullptr, &host.add, two.get()), cudaErrorInvalidValue);
  priority.id = static_cast<cudaLaunchAttributeID>(77);
  expect_error(cudaLaunchKernelExC(&config, &host.add, two.get()), cudaErrorInvalidValue);
}

/// These calls are what nvcc writes for kernel<<<1, 8>>>(...).
TEST_F(RuntimeKernels, AreLaunchedByWhatNvccWrites) {
  AddArguments two(memory_, 2);
  cudaKernel_t kernel = nullptr;
  ASSERT_OK(__cudaGetKernel(&kernel, &host.add));
  ASSERT_EQ(__cudaPushCallConfiguration(3, 8, 16, cudaStreamPerThread), 0U);
  ASSERT_EQ(__cudaPushCallConfiguration(1, 4, 0, nullptr), 0U);  // In the arguments of the other.
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 1;
  cudaStream_t on = nullptr;
  ASSERT_OK(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &on));
  EXPECT_EQ(block.x, 4U);
  ASSERT_OK(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &on));
  EXPECT_EQ(grid.x, 3U);
  EXPECT_EQ(block.x, 8U);
  EXPECT_EQ(shared_bytes, 16U);
  EXPECT_EQ(on, cudaStreamPerThread);
  EXPECT_EQ(added(__cudaLaunchKernel(kernel, 1, 8, two.get(), 0, nullptr)), all(2));
  EXPECT_EQ(added(__cudaLaunchKernel_ptsz(kernel, 1, 8, two.get(), 0, nullptr)), all(2));
  expect_error(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &on),
               cudaErrorMissingConfiguration);
}

TEST_F(RuntimeKernels, OfASizeThatTheDeviceHasNotAreRefused) {
  AddArguments two(memory_, 2);
  expect_error(cudaLaunchKernel(&host.add, 1, 2048, two.get(), 0, nullptr),
               cudaErrorInvalidConfiguration);
  expect_error(cudaLaunchKernel(&host.add, 0, 8, two.get(), 0, nullptr),
               cudaErrorInvalidConfiguration);
  expect_error(cudaLaunchKernel(&host.add, dim3(1, 70000), 8, two.get(), 0, nullptr),
               cudaErrorInvalidConfiguration);
  expect_error(cudaLaunchKernel(nullptr, 1, 8, two.get(), 0, nullptr),
               cudaErrorInvalidDeviceFunction);
}

// ---- variables ----------------------------------------------------------------------------------

TEST_F(RuntimeKernels, VariablesAreCopied) {
  int counter = 0;
  const void* const symbol = &host.counter;
  const auto wait = [] { EXPECT_OK(cudaDeviceSynchronize()); };
  EXPECT_OK(cudaMemcpyFromSymbol(&counter, symbol, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(counter, 7);
  counter = 8;
  EXPECT_OK(cudaMemcpyToSymbol_ptds(symbol, &counter, 4, 0, cudaMemcpyHostToDevice));
  counter = 0;
  EXPECT_OK(cudaMemcpyFromSymbol_ptds(&counter, symbol, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(counter, 8);
  counter = 9;
  EXPECT_OK(cudaMemcpyToSymbolAsync(symbol, &counter, 4, 0, cudaMemcpyHostToDevice, nullptr));
  wait();
  counter = 0;
  EXPECT_OK(cudaMemcpyFromSymbolAsync(&counter, symbol, 4, 0, cudaMemcpyDeviceToHost, nullptr));
  wait();
  EXPECT_EQ(counter, 9);
  counter = 7;
  EXPECT_OK(cudaMemcpyToSymbolAsync_ptsz(symbol, &counter, 4, 0, cudaMemcpyHostToDevice, nullptr));
  wait();
  counter = 0;
  EXPECT_OK(
      cudaMemcpyFromSymbolAsync_ptsz(&counter, symbol, 4, 0, cudaMemcpyDeviceToHost, nullptr));
  wait();
  EXPECT_EQ(counter, 7);
}

TEST_F(RuntimeKernels, ConstantsAreWhatKernelsRead) {
  const int factor = 3;
  EXPECT_OK(cudaMemcpyToSymbol(&host.factor, &factor, 4, 0, cudaMemcpyHostToDevice));
  AddArguments two(memory_, 2);
  EXPECT_OK(cudaLaunchKernel(&host.add, 1, 8, two.get(), 0, nullptr));
  EXPECT_EQ(added(cudaLaunchKernel(&host.scale, 1, 8, two.get(), 0, nullptr)), all(6));
}

TEST_F(RuntimeKernels, VariablesHaveAddressesAndSizes) {
  std::size_t bytes = 0;
  void* address = nullptr;
  int counter = 0;
  EXPECT_OK(cudaGetSymbolSize(&bytes, &host.factor));
  EXPECT_EQ(bytes, sizeof host.factor);
  EXPECT_OK(cudaGetSymbolAddress(&address, &host.counter));
  EXPECT_OK(cudaMemcpy(&counter, address, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(counter, 7);
  expect_error(cudaGetSymbolAddress(&address, &counter), cudaErrorInvalidSymbol);
  expect_error(cudaGetSymbolSize(&bytes, &counter), cudaErrorInvalidSymbol);
  expect_error(cudaMemcpyToSymbol(&host.counter, &counter, 4, 1, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
  expect_error(cudaMemcpyToSymbol(&host.counter, &counter, 4, 0, cudaMemcpyDeviceToHost),
               cudaErrorInvalidMemcpyDirection);
  expect_error(cudaMemcpyFromSymbol(&counter, &host.counter, 4, 0, cudaMemcpyHostToDevice),
               cudaErrorInvalidMemcpyDirection);
}

TEST_F(RuntimeKernels, ManagedVariablesAreOneForTheHostAndTheDevice) {
  ASSERT_TRUE(initialize_module());
  ASSERT_NE(host.managed, nullptr);
  EXPECT_EQ(*host.managed, 5);
  *host.managed = 10;
  EXPECT_OK(cudaLaunchKernel(&host.count_up, 1, 1, nullptr, 0, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(*host.managed, 11);
  void* address = nullptr;
  EXPECT_OK(cudaGetSymbolAddress(&address, &host.managed));
  EXPECT_EQ(address, host.managed);
  *host.managed = 5;
}

// ---- what kernels are like ----------------------------------------------------------------------

TEST_F(RuntimeKernels, HaveAttributes) {
  cudaFuncAttributes found{};
  ASSERT_OK(cudaFuncGetAttributes(&found, &host.add));
  EXPECT_EQ(found.maxThreadsPerBlock, 1024);
  EXPECT_EQ(found.binaryVersion, 80);
  EXPECT_OK(cudaFuncSetAttribute(&host.add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  expect_error(cudaFuncSetAttribute(&host.add, cudaFuncAttributeMaxDynamicSharedMemorySize, -1),
               cudaErrorInvalidValue);
  expect_error(cudaFuncGetAttributes(nullptr, &host.add), cudaErrorInvalidValue);
  expect_error(cudaFuncGetAttributes(&found, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_OK(cudaFuncSetCacheConfig(&host.add, cudaFuncCachePreferL1));
  expect_error(cudaFuncSetCacheConfig(nullptr, cudaFuncCachePreferL1),
               cudaErrorInvalidDeviceFunction);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_OK(cudaFuncSetSharedMemConfig(&host.add, cudaSharedMemBankSizeFourByte));
  expect_error(cudaFuncSetSharedMemConfig(nullptr, cudaSharedMemBankSizeFourByte),
               cudaErrorInvalidDeviceFunction);
#pragma GCC diagnostic pop
}

TEST_F(RuntimeKernels, HaveNamesAndParameters) {
  const char* name = nullptr;
  EXPECT_OK(cudaFuncGetName(&name, &host.add));
  EXPECT_STREQ(name, "add");
  std::size_t offset = 0;
  std::size_t bytes = 0;
  EXPECT_OK(cudaFuncGetParamInfo(&host.add, 1, &offset, &bytes));
  EXPECT_EQ(offset, 8U);
  EXPECT_EQ(bytes, 4U);
  expect_error(cudaFuncGetParamInfo(&host.add, 3, &offset, &bytes), cudaErrorInvalidValue);
}

TEST_F(RuntimeKernels, HandlesStandForThem) {
  AddArguments two(memory_, 2);
  cudaFunction_t function = nullptr;
  cudaKernel_t kernel = nullptr;
  ASSERT_OK(cudaGetFuncBySymbol(&function, &host.add));
  ASSERT_OK(cudaGetKernel(&kernel, &host.add));
  EXPECT_EQ(added(cudaLaunchKernel(function, 1, 8, two.get(), 0, nullptr)), all(2));
  EXPECT_EQ(added(cudaLaunchKernel(kernel, 1, 8, two.get(), 0, nullptr)), all(2));
  EXPECT_OK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            2048, 0));
  expect_error(
      cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 2048, 3),
      cudaErrorInvalidDevice);
}

TEST_F(RuntimeKernels, AreResidentInNumbers) {
  int blocks = 0;
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host.add, 256, 0));
  EXPECT_GT(blocks, 0);
  int same = 0;
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, &host.add, 256, 0,
                                                                   cudaOccupancyDefault));
  EXPECT_EQ(same, blocks);
  std::size_t shared_bytes = 0;
  EXPECT_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared_bytes, &host.add, 1, 256));
  EXPECT_GT(shared_bytes, 0U);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {1, 1, 1};
  const cudaLaunchConfig_t config{1, 256, 0, nullptr, &cluster, 1};
  int clusters = 0;
  EXPECT_OK(cudaOccupancyMaxPotentialClusterSize(&clusters, &host.add, &config));
  EXPECT_EQ(clusters, 1);
  EXPECT_OK(cudaOccupancyMaxActiveClusters(&(clusters = 0), &host.add, &config));
  EXPECT_GT(clusters, 0);
  expect_error(cudaOccupancyMaxPotentialClusterSize(&clusters, &host.add, nullptr),
               cudaErrorInvalidValue);
  expect_error(cudaOccupancyMaxActiveClusters(&clusters, &host.add, nullptr),
               cudaErrorInvalidValue);
}

// ---- libraries ----------------------------------------------------------------------------------

constexpr char kLibrary[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 number = 3;
.visible .global .attribute(.managed) .align 4 .u32 shared_number = 4;
.visible .entry set(.param .u64 value)
{
  .reg .b32 %r<2>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [value];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r1, [number];
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

TEST_F(RuntimeKernels, LibrariesAreLoadedAndAsked) {
  cudaLibrary_t library = nullptr;
  ASSERT_OK(cudaLibraryLoadData(&library, kLibrary, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  EXPECT_OK(cudaLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 1U);
  cudaKernel_t kernel = nullptr;
  cudaKernel_t same = nullptr;
  ASSERT_OK(cudaLibraryGetKernel(&kernel, library, "set"));
  EXPECT_OK(cudaLibraryEnumerateKernels(&same, 1, library));
  EXPECT_EQ(same, kernel);
  expect_error(cudaLibraryGetKernel(&same, library, "other"), cudaErrorSymbolNotFound);
  void* address = nullptr;
  std::size_t bytes = 0;
  EXPECT_OK(cudaLibraryGetGlobal(&address, &bytes, library, "number"));
  EXPECT_EQ(bytes, 4U);
  int number = 6;
  EXPECT_OK(cudaMemcpy(address, &number, 4, cudaMemcpyHostToDevice));
  void* parameters[] = {&memory_};
  EXPECT_OK(cudaLaunchKernel(kernel, 1, 1, parameters, 0, nullptr));
  EXPECT_EQ(read(memory_)[0], 6);
  EXPECT_OK(cudaLibraryGetManaged(&address, &bytes, library, "shared_number"));
  EXPECT_EQ(*static_cast<int*>(address), 4);
  expect_error(cudaLibraryGetManaged(&address, &bytes, library, "number"), cudaErrorSymbolNotFound);
  EXPECT_OK(cudaLibraryUnload(library));
  EXPECT_NE(cudaLaunchKernel(kernel, 1, 1, parameters, 0, nullptr), cudaSuccess);
  cudaGetLastError();
}

TEST_F(RuntimeKernels, LibrariesAreLoadedFromFiles) {
  const std::string file = ::testing::TempDir() + "cudart_library.ptx";
  std::ofstream(file) << kLibrary;
  cudaLibrary_t library = nullptr;
  ASSERT_OK(
      cudaLibraryLoadFromFile(&library, file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  EXPECT_OK(cudaLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 1U);
  EXPECT_OK(cudaLibraryUnload(library));
  expect_error(
      cudaLibraryLoadFromFile(&library, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0),
      cudaErrorFileNotFound);
}

}  // namespace
}  // namespace harness::testing
