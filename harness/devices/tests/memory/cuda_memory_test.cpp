// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: memory, copies and sets, and pools.
#include <cstring>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaMemory : public OnEveryDevice {};

// ---- memory -----------------------------------------------------------------------------------

TEST_P(CudaMemory, AnAllocationOfZeroBytesIsInvalid) {
  run([] {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAllocManaged(&address, 64, 0), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaMemory, AnAllocationBeyondTheMemoryIsOutOfMemory) {
  run([] {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, std::size_t{1} << 45), CUDA_ERROR_OUT_OF_MEMORY);
  });
}

TEST_P(CudaMemory, LargeAllocationsArePageAligned) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "an H200 has it begin at any multiple of 512";
  run([] {
    CUdeviceptr small = allocate(24);
    CUdeviceptr large = allocate(std::size_t{1} << 20);
    CUdeviceptr ordered = allocate_async(std::size_t{64} << 10);
    EXPECT_EQ(large % 4096, 0u);
    EXPECT_EQ(ordered % 4096, 0u);
    CUDA_OK(cuMemFreeAsync(ordered, nullptr));
    CUDA_OK(cuMemFree_v2(large));
    CUDA_OK(cuMemFree_v2(small));
  });
}

TEST_P(CudaMemory, RowsAreOnePitchApart) {
  run([] {
    CUdeviceptr address = 0;
    std::size_t pitch = 0;
    CUDA_OK(cuMemAllocPitch_v2(&address, &pitch, 100, 3, 4));
    EXPECT_GE(pitch, 100u);
    EXPECT_EQ(pitch % 16, 0u);
    CUDA_OK(cuMemsetD2D32_v2(address, pitch, 7, 25, 3));
    EXPECT_EQ(read_int(address + 2 * pitch + 96), 7);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaMemory, APitchedAllocationNeedsAWidthAHeightAndAnElementSize) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "cuda.h does not say which a driver refuses";
  run([] {
    CUdeviceptr address = 0;
    std::size_t pitch = 0;
    EXPECT_EQ(cuMemAllocPitch_v2(&address, &pitch, 0, 3, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAllocPitch_v2(&address, &pitch, 100, 0, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAllocPitch_v2(&address, &pitch, 100, 3, 5), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAllocPitch_v2(&address, &pitch, 1 << 20, std::size_t{1} << 30, 4),
              CUDA_ERROR_OUT_OF_MEMORY);
  });
  expect_no_fault();
}

TEST_P(CudaMemory, CuMemcpyInfersTheMemoryType) {
  run([] {
    CUdeviceptr address = allocate(64);
    int value = 5;
    CUDA_OK(cuMemcpy(address, reinterpret_cast<CUdeviceptr>(&value), sizeof value));
    value = 0;
    CUDA_OK(cuMemcpy(reinterpret_cast<CUdeviceptr>(&value), address, sizeof value));
    EXPECT_EQ(value, 5);
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuMemcpy(reinterpret_cast<CUdeviceptr>(&value), address, sizeof value),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaMemory, MemoryFreedTwiceIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaMemory, FreeingStreamOrderedMemoryTwiceIsAFault) {
  run([] {
    CUdeviceptr address = allocate_async(64);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    EXPECT_EQ(cuMemFreeAsync(address, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaMemory, OnlyTheStartOfAnAllocationCanBeFreed) {
  run([] {
    CUdeviceptr address = allocate(1024);
    EXPECT_EQ(cuMemFree_v2(address + 512), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_fault("api_misuse");
}

TEST_P(CudaMemory, ASetOfFreedMemoryIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuMemsetD8_v2(address, 0, 64), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaMemory, ACopyAcrossTheEndIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr other = allocate(64);
    EXPECT_EQ(cuMemcpyDtoD_v2(other, address, std::size_t{1} << 40), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("api_misuse");
}

TEST_P(CudaMemory, EitherFreeFunctionTakesEitherAllocation) {
  run([] {
    CUDA_OK(cuMemFree_v2(allocate_async(64)));
    CUDA_OK(cuMemFreeAsync(allocate(64), nullptr));
    CUDA_OK(cuCtxSynchronize());
  });
  expect_no_fault();
}

TEST_P(CudaMemory, PinnedMemoryIsVisibleToHostAndDevice) {
  run([] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 64));
    CUdeviceptr address = allocate(64);
    std::memset(pinned, 7, 64);
    CUDA_OK(cuMemcpyHtoD_v2(address, pinned, 64));
    EXPECT_EQ(read_int(address), 0x07070707);
    CUDA_OK(cuMemFreeHost(pinned));
    EXPECT_EQ(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaMemory, ACopyFromFreedMemoryIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemFree_v2(address));
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, address, sizeof value), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaMemory, ACopyOrSetBeyondTheEndIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    EXPECT_EQ(cuMemsetD8_v2(address, 0, std::size_t{1} << 40), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("api_misuse");
}

TEST_P(CudaMemory, AnUnalignedSetIsInvalid) {
  run([] {
    CUdeviceptr address = allocate(64);
    EXPECT_EQ(cuMemsetD16_v2(address + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD32_v2(address + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaMemory, CopiesAndSetsTakeEffect) {
  run([] {
    CUdeviceptr a = allocate(64);
    CUdeviceptr b = allocate(64);
    CUDA_OK(cuMemsetD32_v2(a, 0x01020304, 16));
    CUDA_OK(cuMemsetD8_v2(a + 4, 9, 4));
    CUDA_OK(cuMemcpyDtoD_v2(b, a, 64));
    CUDA_OK(cuMemcpyDtoDAsync_v2(b + 8, a + 4, 4, nullptr));
    int values[4] = {};
    CUDA_OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(values), b, sizeof values, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(values[0], 0x01020304);
    EXPECT_EQ(values[1], 0x09090909);
    EXPECT_EQ(values[2], 0x09090909);
    EXPECT_EQ(values[3], 0x01020304);
    CUDA_OK(cuMemcpyHtoD_v2(a, values, 0));
  });
  expect_no_fault();
}

TEST_P(CudaMemory, ASetOfHalfWordsWritesOnlyThem) {
  run([] {
    CUdeviceptr address = allocate(16);
    std::array<std::uint16_t, 8> values{};
    CUDA_OK(cuMemsetD8_v2(address, 0, 16));
    CUDA_OK(cuMemsetD16_v2(address + 2, 0x0102, 2));
    CUDA_OK(cuMemsetD16Async(address + 14, 0x0506, 1, nullptr));
    CUDA_OK(cuMemcpyDtoH_v2(values.data(), address, sizeof values));
    const std::array<std::uint16_t, 8> wanted{0, 0x0102, 0x0102, 0, 0, 0, 0, 0x0506};
    EXPECT_EQ(values, wanted);
  });
  expect_no_fault();
}

TEST_P(CudaMemory, ASetOfHalfWordsOfFreedMemoryIsAFault) {
  run([] {
    CUdeviceptr address = allocate(16);
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuMemsetD16_v2(address, 1, 8), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaMemory, AnAllocationReportsItsRange) {
  run([] {
    CUdeviceptr address = allocate(1000);
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    CUDA_OK(cuMemGetAddressRange_v2(&base, &bytes, address + 500));
    EXPECT_EQ(base, address);
    EXPECT_GE(bytes, 1000U);
    EXPECT_NE(cuMemGetAddressRange_v2(&base, &bytes, 64), CUDA_SUCCESS);
    std::size_t free = 0;
    std::size_t total = 0;
    CUDA_OK(cuMemGetInfo_v2(&free, &total));
    EXPECT_LT(free, total);
  });
}

TEST_P(CudaMemory, PointerAttributesDescribeTheAllocation) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUmemorytype type = {};
    CUDA_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
    CUcontext context = nullptr;
    CUcontext current = nullptr;
    CUDA_OK(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address));
    CUDA_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(context, current);
    int on_stack = 0;
    EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    reinterpret_cast<CUdeviceptr>(&on_stack)),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaMemory, UnknownPointerAttributesAreInvalid) {
  run([] {
    CUdeviceptr address = allocate(64);
    std::uint64_t found = 0;
    for (const int attribute : {0, -1, 9999})
      EXPECT_EQ(cuPointerGetAttribute(&found, static_cast<CUpointer_attribute>(attribute), address),
                CUDA_ERROR_INVALID_VALUE)
          << attribute;
    EXPECT_EQ(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_HOST_POINTER, address),
              CUDA_ERROR_INVALID_VALUE)
        << "the host does not see it";
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_RANGE_SIZE;
    void* data = nullptr;
    EXPECT_EQ(cuPointerGetAttributes(1, &attribute, &data, address), CUDA_ERROR_INVALID_VALUE);
    data = &found;
    EXPECT_EQ(cuPointerGetAttributes(0, &attribute, &data, address), CUDA_ERROR_INVALID_VALUE);
    attribute = static_cast<CUpointer_attribute>(0);
    EXPECT_EQ(cuPointerGetAttributes(1, &attribute, &data, address), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaMemory, TwoLifetimesAtAnAddressHaveTwoBufferIds) {
  run([] {
    unsigned long long first = 0;
    unsigned long long second = 0;
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuPointerGetAttribute(&first, CU_POINTER_ATTRIBUTE_BUFFER_ID, address));
    CUDA_OK(cuMemFree_v2(address));
    address = allocate(64);
    CUDA_OK(cuPointerGetAttribute(&second, CU_POINTER_ATTRIBUTE_BUFFER_ID, address));
    EXPECT_NE(first, second);
  });
}

// ---- pools ------------------------------------------------------------------------------------

static CUmemoryPool make_pool() {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
  return pool;
}

TEST_P(CudaMemory, TheDefaultPoolCannotBeDestroyed) {
  run([] {
    CUmemoryPool pool = nullptr;
    CUDA_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaMemory, MemoryOutlivesItsPool) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr));
    CUDA_OK(cuMemPoolDestroy(pool));
    write_int(address, 5);
    EXPECT_EQ(read_int(address), 5);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
  });
  expect_no_fault();
}

TEST_P(CudaMemory, AnAllocationFromADestroyedPoolIsAFault) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUDA_OK(cuMemPoolDestroy(pool));
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaMemory, APoolCountsUsedMemory) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr));
    cuuint64_t used = 0;
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT_GE(used, 64U);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    CUDA_OK(cuMemPoolTrimTo(pool, 0));
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT_EQ(used, 0U);
    cuuint64_t high = 0;
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
    EXPECT_GE(high, 64U);
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &used));
    EXPECT_EQ(used, 0U);
  });
}

TEST_P(CudaMemory, APoolDestroyedTwiceIsAFault) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUDA_OK(cuMemPoolDestroy(pool));
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaMemory, APoolNeedsATypeAndALocation) {
  run([] {
    CUmemPoolProps properties{};
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaMemory, AHighWaterMarkCanOnlyBeReset) {
  run([] {
    CUmemoryPool pool = make_pool();
    cuuint64_t value = 1;
    EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &value),
              CUDA_ERROR_INVALID_VALUE);
    value = 0;
    CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &value));
    value = 1 << 20;
    CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    cuuint64_t read = 0;
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &read));
    EXPECT_EQ(read, value);
  });
}

INSTANTIATE_ON_EVERY_DEVICE(CudaMemory);

}  // namespace
}  // namespace harness::testing
