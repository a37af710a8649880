// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: memory pools, and properties of streams.
#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

CUmemoryPool make_pool(std::size_t limit = 0) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  properties.maxSize = limit;
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
  return pool;
}

std::uint64_t counter(CUmemoryPool pool, CUmemPool_attribute attribute) {
  cuuint64_t value = 0;
  EXPECT_EQ(cuMemPoolGetAttribute(pool, attribute, &value), CUDA_SUCCESS);
  return value;
}

class CudaPool : public OnEveryDevice {};

TEST_P(CudaPool, AllocationsComeFromTheCurrentPoolUntilItIsDestroyed) {
  run([] {
    CUmemoryPool standard = nullptr;
    CUmemoryPool current = nullptr;
    CUDA_OK(cuDeviceGetDefaultMemPool(&standard, 0));
    CUDA_OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(current, standard);
    CUmemoryPool mine = make_pool();
    CUDA_OK(cuDeviceSetMemPool(0, mine));
    CUDA_OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(current, mine);
    CUdeviceptr address = allocate_async(64);
    EXPECT_GE(counter(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 64u);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(counter(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
    CUDA_OK(cuMemPoolDestroy(mine));
    CUDA_OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(current, standard);
  });
  expect_no_fault();
}

TEST_P(CudaPool, AnEmptyAllocationIsNullAndCanBeFreed) {
  run([] {
    CUdeviceptr first = 0;
    CUdeviceptr second = 0;
    CUDA_OK(cuMemAllocAsync(&first, 0, nullptr));
    CUDA_OK(cuMemAllocAsync(&second, 0, nullptr));
    EXPECT_EQ(first, 0u);
    EXPECT_EQ(second, 0u);
    CUDA_OK(cuMemFreeAsync(first, nullptr));
    CUDA_OK(cuMemFreeAsync(second, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(cuMemAlloc_v2(&first, 0), CUDA_ERROR_INVALID_VALUE) << "which is documented";
  });
  expect_no_fault();
}

TEST_P(CudaPool, UsingAnEmptyAllocationIsAFault) {
  run([] {
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocAsync(&address, 0, nullptr));
    EXPECT_NE(cuMemsetD8Async(address, 1, 1, nullptr), CUDA_SUCCESS);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
  });
}

TEST_P(CudaPool, UnknownAttributesAreInvalidAndCountersReadOnly) {
  run([] {
    CUmemoryPool pool = make_pool();
    cuuint64_t value = 0;
    const auto unknown = static_cast<CUmemPool_attribute>(99);
    EXPECT_EQ(cuMemPoolGetAttribute(pool, unknown, &value), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolSetAttribute(pool, unknown, &value), CUDA_ERROR_INVALID_VALUE);
    for (const CUmemPool_attribute counted :
         {CU_MEMPOOL_ATTR_USED_MEM_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT})
      EXPECT_EQ(cuMemPoolSetAttribute(pool, counted, &value), CUDA_ERROR_INVALID_VALUE);
    cuuint64_t one = 1;
    for (const CUmemPool_attribute mark :
         {CU_MEMPOOL_ATTR_USED_MEM_HIGH, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH})
      EXPECT_EQ(cuMemPoolSetAttribute(pool, mark, &one), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemPoolDestroy(pool));
  });
  expect_no_fault();
}

TEST_P(CudaPool, ANullAttributeValueIsInvalid) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([] {
    CUmemoryPool pool = make_pool();
    EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaPool, AnAttributeOfADestroyedPoolIsAFault) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUDA_OK(cuMemPoolDestroy(pool));
    EXPECT_EQ(cuMemPoolTrimTo(pool, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaPool, ADeviceThatDoesNotExistHasNoPool) {
  run([] {
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuDeviceGetMemPool(&pool, 99), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGetMemPool(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    EXPECT_EQ(cuDeviceSetMemPool(99, pool), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaPool, ADestroyedPoolCannotBecomeCurrent) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUDA_OK(cuMemPoolDestroy(pool));
    EXPECT_EQ(cuDeviceSetMemPool(0, pool), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaPool, TheDevicesOwnAccessCannotBeRevoked) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUmemLocation here{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CUmemAccess_flags access{};
    CUDA_OK(cuMemPoolGetAccess(&access, pool, &here));
    EXPECT_EQ(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemAccessDesc wish{.location = here, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_EQ(cuMemPoolSetAccess(pool, &wish, 1), CUDA_SUCCESS);
    wish.location.id = 99;
    EXPECT_NE(cuMemPoolSetAccess(pool, &wish, 1), CUDA_SUCCESS);
    wish = {.location = here, .flags = CU_MEM_ACCESS_FLAGS_PROT_NONE};
    EXPECT_NE(cuMemPoolSetAccess(pool, &wish, 1), CUDA_SUCCESS);
    EXPECT_EQ(cuMemPoolSetAccess(pool, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolGetAccess(nullptr, pool, &here), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaPool, FreedMemoryIsReservedUpToTheThreshold) {
  run([] {
    CUmemoryPool pool = make_pool();
    cuuint64_t threshold = ~cuuint64_t{0};
    CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    EXPECT_EQ(counter(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), threshold);
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 1 << 20, pool, nullptr));
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_GE(counter(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), cuuint64_t{1} << 20);
    CUDA_OK(cuMemPoolTrimTo(pool, 0));
    EXPECT_EQ(counter(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
    EXPECT_GE(counter(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), cuuint64_t{1} << 20);
    EXPECT_GE(counter(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), cuuint64_t{1} << 20);
  });
  expect_no_fault();
}

TEST_P(CudaPool, WithoutAThresholdASynchronizeReleasesTheReservation) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 1 << 20, pool, nullptr));
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(counter(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  });
}

TEST_P(CudaPool, APoolHonorsItsMaximumSize) {
  run([] {
    CUmemoryPool pool = make_pool(std::size_t{64} << 20);
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&address, std::size_t{1} << 30, pool, nullptr),
              CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(cuMemAllocFromPoolAsync(&address, std::size_t{1} << 20, pool, nullptr), CUDA_SUCCESS);
  });
}

// ---- properties of streams --------------------------------------------------------------------

TEST_P(CudaPool, PrioritiesAreClamped) {
  run([] {
    int least = 99;
    int greatest = 99;
    CUDA_OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    CUDA_OK(cuCtxGetStreamPriorityRange(nullptr, nullptr));
    EXPECT_LE(greatest, least);
    for (const int wanted : {least + 10, least, greatest, greatest - 10}) {
      CUstream stream = nullptr;
      int priority = 99;
      CUDA_OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, wanted));
      CUDA_OK(cuStreamGetPriority(stream, &priority));
      EXPECT_EQ(priority, std::clamp(wanted, greatest, least));
    }
    EXPECT_EQ(cuStreamGetPriority(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaPool, AStreamHasAnIdAndADevice) {
  run([] {
    CUstream first = make_stream();
    CUstream second = make_stream();
    unsigned long long ids[3] = {};
    CUDA_OK(cuStreamGetId(first, &ids[0]));
    CUDA_OK(cuStreamGetId(second, &ids[1]));
    CUDA_OK(cuStreamGetId(nullptr, &ids[2]));
    EXPECT_NE(ids[0], ids[1]);
    EXPECT_NE(ids[0], ids[2]);
    EXPECT_EQ(cuStreamGetId(first, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUdevice device = -1;
    CUDA_OK(cuStreamGetDevice(first, &device));
    EXPECT_EQ(device, 0);
    EXPECT_EQ(cuStreamGetDevice(first, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
}

INSTANTIATE_ON_EVERY_DEVICE(CudaPool);

// ---- which freed memory is reused -------------------------------------------------------------

class CudaPoolReuse : public OnSim {
 protected:
  template <class Body>
  void run(Body body) {
    Always reuse(Site::reuse, 1);
    EXPECT_EQ(stage.run(reuse, body), Ending::finished) << stage.fault();
  }
};

void only_by_order() {
  CUmemoryPool pool = nullptr;
  int off = 0;
  CUDA_OK(cuDeviceGetDefaultMemPool(&pool, 0));
  CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &off));
  CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &off));
}

void after(CUstream second, CUstream first) {
  CUevent event = make_event();
  CUDA_OK(cuEventRecord(event, first));
  CUDA_OK(cuStreamWaitEvent(second, event, 0));
}

TEST_F(CudaPoolReuse, OrderThroughAThirdStreamAllowsReuse) {
  run([] {
    only_by_order();
    CUstream freeing = make_stream();
    CUstream between = make_stream();
    CUstream other = make_stream();
    CUdeviceptr first = allocate_async(64, freeing);
    CUDA_OK(cuMemFreeAsync(first, freeing));
    EXPECT_NE(allocate_async(64, other), first);
    after(between, freeing);
    after(other, between);
    EXPECT_EQ(allocate_async(64, other), first);
  });
}

TEST_F(CudaPoolReuse, MemoryThatTheHostHasWaitedForIsReusedUnderEveryPolicy) {
  run([] {
    only_by_order();
    CUmemoryPool pool = nullptr;
    int off = 0;
    CUDA_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &off));
    CUstream freeing = make_stream();
    CUstream other = make_stream();
    CUdeviceptr first = allocate_async(64, freeing);
    CUDA_OK(cuMemFreeAsync(first, freeing));
    after(other, freeing);
    EXPECT_NE(allocate_async(64, other), first);
    CUDA_OK(cuStreamSynchronize(freeing));
    EXPECT_EQ(allocate_async(64, other), first);
  });
}

TEST_F(CudaPoolReuse, AFreeNotYetSeenByTheHostMayCountAsOutstanding) {
  const auto reserved_after_trim = [this](std::uint32_t option) {
    std::uint64_t reserved = 0;
    Always pick(Site::reuse, option);
    stage.run(pick, [&reserved] {
      CUstream stream = make_stream();
      CUmemoryPool pool = make_pool();
      CUdeviceptr address = 0;
      CUDA_OK(cuMemAllocFromPoolAsync(&address, 4096, pool, stream));
      CUDA_OK(cuMemFreeAsync(address, stream));
      CUDA_OK(cuMemPoolTrimTo(pool, 0));
      reserved = counter(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
    });
    return reserved;
  };
  EXPECT_EQ(reserved_after_trim(0), 0u);
  EXPECT_EQ(reserved_after_trim(1), 4096u);
}

TEST_F(CudaPoolReuse, AFreeSeenByTheHostDoesNotCountAsOutstanding) {
  run([] {
    CUstream stream = make_stream();
    CUmemoryPool pool = make_pool();
    cuuint64_t threshold = 1 << 20;
    CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 4096, pool, stream));
    CUDA_OK(cuMemFreeAsync(address, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_GE(counter(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 4096u);
    CUDA_OK(cuMemPoolTrimTo(pool, 0));
    EXPECT_EQ(counter(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  });
}

}  // namespace
}  // namespace harness::testing
