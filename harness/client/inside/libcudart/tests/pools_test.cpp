// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory, pools, and handles for other processes.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

extern "C" {
cudaError_t cudaMallocAsync_ptsz(void**, size_t, cudaStream_t);
cudaError_t cudaFreeAsync_ptsz(void*, cudaStream_t);
cudaError_t cudaMallocFromPoolAsync_ptsz(void**, size_t, cudaMemPool_t, cudaStream_t);
}

namespace harness::testing {
namespace {

class RuntimePools : public Runtime {
 protected:
  static cudaMemPool_t pool() {
    cudaMemPoolProps wanted{};
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t made = nullptr;
    EXPECT_OK(cudaMemPoolCreate(&made, &wanted));
    return made;
  }
  static std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
    std::uint64_t value = 0;
    EXPECT_OK(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
  }
};

TEST_F(RuntimePools, MemoryIsAllocatedAndFreedInAStream) {
  const cudaStream_t on = stream();
  void* memory = nullptr;
  ASSERT_OK(cudaMallocAsync(&memory, kBytes, on));
  EXPECT_OK(cudaMemsetAsync(memory, 1, kBytes, on));
  EXPECT_OK(cudaFreeAsync(memory, on));
  EXPECT_OK(cudaStreamSynchronize(on));
  expect_error(cudaFreeAsync(memory, on), cudaErrorInvalidValue);
  ASSERT_OK(cudaMallocAsync_ptsz(&memory, kBytes, nullptr));
  EXPECT_OK(cudaMemsetAsync(memory, 1, kBytes, cudaStreamPerThread));
  EXPECT_OK(cudaFreeAsync_ptsz(memory, nullptr));
  EXPECT_OK(cudaStreamSynchronize(cudaStreamPerThread));
  expect_error(cudaFreeAsync_ptsz(memory, nullptr), cudaErrorInvalidValue);
  EXPECT_OK(cudaStreamDestroy(on));
}

TEST_F(RuntimePools, AreMadeUsedAndTrimmed) {
  const cudaStream_t on = stream();
  const cudaMemPool_t made = pool();
  std::uint64_t threshold = std::uint64_t{1} << 30;
  EXPECT_OK(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT_EQ(attribute(made, cudaMemPoolAttrReleaseThreshold), threshold);
  void* memory = nullptr;
  void* other = nullptr;
  ASSERT_OK(cudaMallocFromPoolAsync(&memory, 1 << 20, made, on));
  ASSERT_OK(cudaMallocFromPoolAsync_ptsz(&other, 1 << 20, made, nullptr));
  EXPECT_NE(memory, other);
  EXPECT_GE(attribute(made, cudaMemPoolAttrUsedMemCurrent), std::uint64_t{2} << 20);
  EXPECT_OK(cudaFreeAsync(memory, on));
  EXPECT_OK(cudaFreeAsync(other, cudaStreamPerThread));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_GT(attribute(made, cudaMemPoolAttrReservedMemCurrent), 0U);
  EXPECT_OK(cudaMemPoolTrimTo(made, 0));
  EXPECT_EQ(attribute(made, cudaMemPoolAttrReservedMemCurrent), 0U);
  EXPECT_OK(cudaMemPoolDestroy(made));
  expect_error(cudaMemPoolTrimTo(made, 0), cudaErrorInvalidValue);
  EXPECT_OK(cudaStreamDestroy(on));
}

TEST_F(RuntimePools, ADeviceHasOneThatCanBeChanged) {
  cudaMemPool_t first = nullptr;
  cudaMemPool_t found = nullptr;
  ASSERT_OK(cudaDeviceGetDefaultMemPool(&first, 0));
  EXPECT_OK(cudaDeviceGetMemPool(&found, 0));
  EXPECT_EQ(found, first);
  const cudaMemPool_t made = pool();
  EXPECT_OK(cudaDeviceSetMemPool(0, made));
  EXPECT_OK(cudaDeviceGetMemPool(&found, 0));
  EXPECT_EQ(found, made);
  EXPECT_OK(cudaDeviceSetMemPool(0, first));
  cudaMemLocation device{};
  device.type = cudaMemLocationTypeDevice;
  EXPECT_OK(cudaMemGetDefaultMemPool(&found, &device, cudaMemAllocationTypePinned));
  EXPECT_EQ(found, first);
  EXPECT_OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, made));
  EXPECT_OK(cudaMemGetMemPool(&found, &device, cudaMemAllocationTypePinned));
  EXPECT_EQ(found, made);
  EXPECT_OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, first));
  EXPECT_OK(cudaMemPoolDestroy(made));
}

TEST_F(RuntimePools, AccessIsSetAndAsked) {
  const cudaMemPool_t made = pool();
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  EXPECT_OK(cudaMemPoolSetAccess(made, &access, 1));
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  EXPECT_OK(cudaMemPoolGetAccess(&flags, made, &access.location));
  EXPECT_EQ(flags, cudaMemAccessFlagsProtReadWrite);
  access.location.id = 5;
  expect_error(cudaMemPoolSetAccess(made, &access, 1), cudaErrorInvalidValue);
  EXPECT_OK(cudaMemPoolDestroy(made));
}

TEST_F(RuntimePools, OneForOtherProcessesIsExported) {
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  wanted.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  cudaMemPool_t made = nullptr;
  ASSERT_OK(cudaMemPoolCreate(&made, &wanted));
  int file = -1;
  EXPECT_OK(cudaMemPoolExportToShareableHandle(&file, made, wanted.handleTypes, 0));
  EXPECT_GE(file, 0);
  void* memory = nullptr;
  ASSERT_OK(cudaMallocFromPoolAsync(&memory, kBytes, made, nullptr));
  cudaMemPoolPtrExportData data{};
  EXPECT_OK(cudaMemPoolExportPointer(&data, memory));
  cudaMemPool_t imported = nullptr;
  EXPECT_NE(cudaMemPoolImportFromShareableHandle(&imported, nullptr, wanted.handleTypes, 0),
            cudaSuccess);
  expect_error(cudaMemPoolImportPointer(&memory, made, &data), cudaErrorInvalidValue);
  close(file);
  EXPECT_OK(cudaMemPoolDestroy(made));
}

// ---- handles for other processes ----------------------------------------------------------------

template <class Handle>
bool is_empty(const Handle& handle) {
  return std::ranges::all_of(handle.reserved, [](char byte) { return byte == 0; });
}

TEST_F(RuntimePools, HandlesForOtherProcessesAreMade) {
  int* memory = on_device();
  cudaIpcMemHandle_t handle{};
  EXPECT_OK(cudaIpcGetMemHandle(&handle, memory));
  EXPECT_FALSE(is_empty(handle));
  void* opened = nullptr;
  EXPECT_NE(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess), cudaSuccess);
  EXPECT_NE(cudaIpcCloseMemHandle(memory), cudaSuccess);
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  cudaIpcEventHandle_t event_handle{};
  EXPECT_OK(cudaIpcGetEventHandle(&event_handle, event));
  EXPECT_FALSE(is_empty(event_handle));
  cudaEvent_t opened_event = nullptr;
  EXPECT_NE(cudaIpcOpenEventHandle(&opened_event, event_handle), cudaSuccess);
  cudaGetLastError();
  EXPECT_OK(cudaEventDestroy(event));
  EXPECT_OK(cudaFree(memory));
}

}  // namespace
}  // namespace harness::testing
