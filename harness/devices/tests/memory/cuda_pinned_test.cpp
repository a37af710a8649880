// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: pinned memory, and pools of pinned and managed memory.
#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaPinned : public OnEveryDevice {};

/// The same, for what not every GPU and driver has.
class CudaPoolKinds : public OnEveryDevice {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::gpu) GTEST_SKIP() << "not every driver has such pools";
    OnEveryDevice::SetUp();
  }
};

void* allocate_pinned(unsigned flags = 0) {
  void* host = nullptr;
  EXPECT_EQ(cuMemHostAlloc(&host, 64, flags), CUDA_SUCCESS);
  return host;
}

// ---- cuMemHostAlloc ---------------------------------------------------------------------------

TEST_P(CudaPinned, AnAllocationOfZeroBytesReturnsNullWithoutError) {
  run([] {
    int mine = 0;
    void* host = &mine;
    CUDA_OK(cuMemHostAlloc(&host, 0, 0));
    EXPECT_EQ(host, nullptr);
  });
  expect_no_fault();
}

TEST_P(CudaPinned, PinnedMemoryHasFlagsAndADevicePointer) {
  run([this] {
    void* host = allocate_pinned(CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
    *static_cast<int*>(host) = 41;
    CUdeviceptr address = 0;
    unsigned flags = 0;
    CUDA_OK(cuMemHostGetDevicePointer_v2(&address, host, 0));
    CUDA_OK(cuMemHostGetFlags(&flags, host));
    EXPECT_EQ(flags & CU_MEMHOSTALLOC_DEVICEMAP, unsigned{CU_MEMHOSTALLOC_DEVICEMAP});
    int count = 1;
    CUDA_OK(launch(get_kernel(image(), "add_one"), 1, 1, nullptr, {&address, &count}));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(*static_cast<int*>(host), 42);
    CUDA_OK(cuMemFreeHost(host));
  });
  expect_no_fault();
}

TEST_P(CudaPinned, UnknownFlagsAndAddressesAreInvalid) {
  run([] {
    void* host = nullptr;
    CUdeviceptr address = 0;
    unsigned flags = 0;
    int mine = 0;
    EXPECT_EQ(cuMemHostAlloc(&host, 64, 0xf0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostAlloc(nullptr, 64, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostGetFlags(&flags, &mine), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostGetDevicePointer_v2(&address, &mine, 0), CUDA_ERROR_INVALID_VALUE);
    host = allocate_pinned(CU_MEMHOSTALLOC_DEVICEMAP);
    EXPECT_EQ(cuMemHostGetDevicePointer_v2(&address, host, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostGetDevicePointer_v2(nullptr, host, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostGetFlags(nullptr, host), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaPinned, FreedPinnedMemoryHasNoDevicePointer) {
  if (GetParam() != Backend::sim) GTEST_SKIP() << "the driver only knows that nothing is there";
  run([] {
    void* host = allocate_pinned();
    CUdeviceptr address = 0;
    CUDA_OK(cuMemFreeHost(host));
    EXPECT_EQ(cuMemHostGetDevicePointer_v2(&address, host, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaPinned, PinnedMemoryIsFreedOnceByItsOwnFunction) {
  run([] {
    void* host = allocate_pinned();
    CUDA_OK(cuMemFreeHost(host));
    EXPECT_EQ(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaPinned);

// ---- pools of other kinds ---------------------------------------------------------------------

CUmemoryPool make_pool(CUmemLocationType type, CUmemAllocationType kind) {
  CUmemPoolProps properties{};
  properties.allocType = kind;
  properties.location = {.type = type, .id = 0};
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
  return pool;
}

CUdeviceptr allocate_from(CUmemoryPool pool) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr), CUDA_SUCCESS);
  return address;
}

template <class T>
T ask(CUpointer_attribute attribute, CUdeviceptr address) {
  T value{};
  EXPECT_EQ(cuPointerGetAttribute(&value, attribute, address), CUDA_SUCCESS);
  return value;
}

TEST_P(CudaPoolKinds, MemoryOfAHostPoolIsPinned) {
  run([this] {
    for (const auto type : {CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA}) {
      CUmemoryPool pool = make_pool(type, CU_MEM_ALLOCATION_TYPE_PINNED);
      CUdeviceptr address = allocate_from(pool);
      CUDA_OK(cuStreamSynchronize(nullptr));
      auto* host = reinterpret_cast<int*>(address);
      *host = 41;
      int count = 1;
      CUDA_OK(launch(get_kernel(image(), "add_one"), 1, 1, nullptr, {&address, &count}));
      CUDA_OK(cuStreamSynchronize(nullptr));
      EXPECT_EQ(*host, 42);
      EXPECT_EQ(ask<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
                unsigned{CU_MEMORYTYPE_HOST});
      EXPECT_EQ(ask<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address), pool);
      CUDA_OK(cuMemFreeAsync(address, nullptr));
      CUDA_OK(cuMemPoolDestroy(pool));
    }
  });
  expect_no_fault();
}

TEST_P(CudaPoolKinds, MemoryOfAManagedPoolIsManaged) {
  run([] {
    CUmemoryPool pool = make_pool(CU_MEM_LOCATION_TYPE_NONE, CU_MEM_ALLOCATION_TYPE_MANAGED);
    CUdeviceptr address = allocate_from(pool);
    EXPECT_TRUE(ask<bool>(CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
    CUDA_OK(cuMemsetD32Async(address, 7, 1, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(*reinterpret_cast<int*>(address), 7);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    CUDA_OK(cuMemPoolDestroy(pool));
  });
  expect_no_fault();
}

TEST_P(CudaPoolKinds, UseOfFreedMemoryOfAHostPoolIsAFault) {
  run([] {
    CUmemoryPool pool = make_pool(CU_MEM_LOCATION_TYPE_HOST, CU_MEM_ALLOCATION_TYPE_PINNED);
    CUdeviceptr address = allocate_from(pool);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_NE(cuMemsetD32Async(address, 7, 1, nullptr), CUDA_SUCCESS);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaPoolKinds, AnUnknownLocationOrTypeIsInvalid) {
  run([] {
    CUmemPoolProps wanted{};
    CUmemoryPool pool = nullptr;
    wanted.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location = {.type = CU_MEM_LOCATION_TYPE_NONE, .id = 0};
    EXPECT_EQ(cuMemPoolCreate(&pool, &wanted), CUDA_ERROR_INVALID_VALUE) << "pinned nowhere";
    wanted.location = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, .id = 0};
    EXPECT_EQ(cuMemPoolCreate(&pool, &wanted), CUDA_ERROR_INVALID_VALUE);
    wanted.location = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA, .id = 99};
    EXPECT_EQ(cuMemPoolCreate(&pool, &wanted), CUDA_ERROR_INVALID_VALUE);
    wanted.location = {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 99};
    wanted.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    EXPECT_EQ(cuMemPoolCreate(&pool, &wanted), CUDA_ERROR_INVALID_VALUE) << "no IPC of host pools";
    wanted.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
    EXPECT_EQ(cuMemPoolCreate(&pool, &wanted), CUDA_SUCCESS) << "the id is ignored";
    wanted.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    EXPECT_EQ(cuMemPoolCreate(&pool, &wanted), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaPoolKinds, EachKindHasADefaultPoolAndACurrentOne) {
  run([] {
    CUmemLocation host{.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
    CUmemLocation here{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    constexpr auto kPinned = CU_MEM_ALLOCATION_TYPE_PINNED;
    CUmemoryPool standard = nullptr;
    CUmemoryPool device = nullptr;
    CUmemoryPool current = nullptr;
    CUDA_OK(cuMemGetDefaultMemPool(&standard, &host, kPinned));
    CUDA_OK(cuMemGetDefaultMemPool(&device, &here, kPinned));
    EXPECT_NE(standard, device);
    CUDA_OK(cuDeviceGetDefaultMemPool(&current, 0));
    EXPECT_EQ(current, device);
    CUDA_OK(cuMemGetMemPool(&current, &host, kPinned));
    EXPECT_EQ(current, standard);
    CUmemoryPool mine = make_pool(CU_MEM_LOCATION_TYPE_HOST, kPinned);
    CUDA_OK(cuMemSetMemPool(&host, kPinned, mine));
    CUDA_OK(cuMemGetMemPool(&current, &host, kPinned));
    EXPECT_EQ(current, mine);
    EXPECT_EQ(cuMemSetMemPool(&here, kPinned, mine), CUDA_ERROR_INVALID_VALUE) << "not its kind";
    EXPECT_EQ(cuDeviceSetMemPool(0, mine), CUDA_ERROR_INVALID_VALUE);
    here.id = 99;
    EXPECT_EQ(cuMemGetMemPool(&current, &here, kPinned), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuMemGetMemPool(nullptr, &host, kPinned), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemGetDefaultMemPool(&current, nullptr, kPinned), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemPoolDestroy(mine));
    CUDA_OK(cuMemGetMemPool(&current, &host, kPinned));
    EXPECT_EQ(current, standard) << "the default one is current again";
  });
  expect_no_fault();
}

TEST_P(CudaPoolKinds, TheDeviceNeedsToBeGivenAccessToAHostPool) {
  run([] {
    CUmemoryPool pool = make_pool(CU_MEM_LOCATION_TYPE_HOST, CU_MEM_ALLOCATION_TYPE_PINNED);
    CUmemLocation host{.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
    CUmemLocation here{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CUmemAccess_flags access{};
    CUDA_OK(cuMemPoolGetAccess(&access, pool, &here));
    EXPECT_EQ(access, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    CUDA_OK(cuMemPoolGetAccess(&access, pool, &host));
    EXPECT_EQ(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemAccessDesc wish{.location = here, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUDA_OK(cuMemPoolSetAccess(pool, &wish, 1));
    CUDA_OK(cuMemPoolGetAccess(&access, pool, &here));
    EXPECT_EQ(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    wish = {.location = host, .flags = CU_MEM_ACCESS_FLAGS_PROT_NONE};
    EXPECT_EQ(cuMemPoolSetAccess(pool, &wish, 1), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaPoolKinds);

}  // namespace
}  // namespace harness::testing
