// SPDX-License-Identifier: Apache-2.0
// Managed memory: prefetches and advice (cuMemPrefetchAsync, cuMemAdvise).
#include "harness/devices/tests/streams/race_stage.h"

namespace harness::testing {
namespace {

class CudaManaged : public OnEveryDevice {};

constexpr std::size_t kBytes = 4096;
constexpr CUmemLocation kDevice{CU_MEM_LOCATION_TYPE_DEVICE, 0};
constexpr CUmemLocation kNoDevice{CU_MEM_LOCATION_TYPE_DEVICE, 99};
constexpr CUmemLocation kHost{CU_MEM_LOCATION_TYPE_HOST, 0};
constexpr CUmemLocation kNode{CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
constexpr CUmemLocation kNone{CU_MEM_LOCATION_TYPE_INVALID, 0};

CUdeviceptr allocate_managed() {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAllocManaged(&address, kBytes, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  return address;
}

TEST_P(CudaManaged, MigrationKeepsValues) {
  run([] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_managed();
    *reinterpret_cast<int*>(address) = 5;
    CUDA_OK(cuMemPrefetchAsync_v2(address, kBytes, kDevice, 0, stream));
    CUDA_OK(cuMemPrefetchAsync_v2(address, kBytes, kHost, 0, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(*reinterpret_cast<int*>(address), 5);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaManaged, APrefetchNeedsALocationAndNoFlags) {
  run([] {
    CUdeviceptr address = allocate_managed();
    EXPECT_EQ(cuMemPrefetchAsync_v2(address, kBytes, kNoDevice, 0, nullptr),
              CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuMemPrefetchAsync_v2(address, kBytes, kNone, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPrefetchAsync_v2(address, kBytes, kDevice, 1, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaManaged, OnlyManagedMemoryIsPrefetchedAndAdvised) {
  run([] {
    CUdeviceptr plain = allocate(kBytes);
    EXPECT_EQ(cuMemPrefetchAsync_v2(plain, kBytes, kDevice, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAdvise_v2(plain, kBytes, CU_MEM_ADVISE_SET_READ_MOSTLY, kDevice),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFree_v2(plain));
  });
  expect_no_fault();
}

TEST_P(CudaManaged, ARangeBeyondTheMemoryIsRefused) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver takes pages";
  run([] {
    CUdeviceptr address = allocate_managed();
    EXPECT_EQ(cuMemPrefetchAsync_v2(address, kBytes + 1, kDevice, 0, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPrefetchAsync_v2(address, 0, kDevice, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAdvise_v2(address, 2 * kBytes, CU_MEM_ADVISE_SET_READ_MOSTLY, kDevice),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaManaged, AdviceNeedsADeviceOrTheHost) {
  run([] {
    CUdeviceptr address = allocate_managed();
    for (const CUmem_advise advice :
         {CU_MEM_ADVISE_SET_READ_MOSTLY, CU_MEM_ADVISE_UNSET_READ_MOSTLY,
          CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
          CU_MEM_ADVISE_SET_ACCESSED_BY, CU_MEM_ADVISE_UNSET_ACCESSED_BY})
      CUDA_OK(cuMemAdvise_v2(address, kBytes, advice, kDevice)) << advice;
    CUDA_OK(cuMemAdvise_v2(address, kBytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, kHost));
    EXPECT_EQ(cuMemAdvise_v2(address, kBytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, kNoDevice),
              CUDA_ERROR_INVALID_VALUE);  // A prefetch to it is CUDA_ERROR_INVALID_DEVICE.
    EXPECT_EQ(cuMemAdvise_v2(address, kBytes, CU_MEM_ADVISE_SET_ACCESSED_BY, kNode),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAdvise_v2(address, kBytes, static_cast<CUmem_advise>(99), kDevice),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_no_fault();
}

TEST_P(CudaManaged, APrefetchOfFreedMemoryIsAFault) {
  run([] {
    CUdeviceptr address = allocate_managed();
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuMemPrefetchAsync_v2(address, kBytes, kDevice, 0, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaManaged, AdviceOnFreedMemoryIsAFault) {
  run([] {
    CUdeviceptr address = allocate_managed();
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuMemAdvise_v2(address, kBytes, CU_MEM_ADVISE_SET_READ_MOSTLY, kDevice),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaManaged);

// ---- order, on the simulated driver -------------------------------------------------------------

class CudaManagedOrder : public RaceStage {};
class CudaManagedLate : public UnderStrategy {};

/// Managed memory whose free does not wait.
CUdeviceptr allocate_in_a_pool() {
  CUmemPoolProps props{};
  props.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
  props.location = kDevice;
  CUmemoryPool pool = nullptr;
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemPoolCreate(&pool, &props), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&address, kBytes, pool, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  return address;
}

TEST_F(CudaManagedOrder, APrefetchNeverRacesWithAUse) {
  run([] {
    CUdeviceptr address = allocate_managed();
    set(make_stream(), address);
    CUDA_OK(cuMemPrefetchAsync_v2(address, kBytes, kDevice, 0, make_stream()));
    set(make_stream(), address + 64);
    CUDA_OK(cuCtxSynchronize());
  });
  expect_none();
}

TEST_F(CudaManagedOrder, AFreeUnorderedWithAPrefetchIsAFault) {
  run([] {
    CUdeviceptr address = allocate_in_a_pool();
    CUDA_OK(cuMemPrefetchAsync_v2(address, kBytes, kDevice, 0, make_stream()));
    CUDA_OK(cuMemFreeAsync(address, make_stream()));
    CUDA_OK(cuCtxSynchronize());
  });
  expect_order();
}

TEST_F(CudaManagedLate, APrefetchBehindTheFreeIsAUseAfterFree) {
  run(lagging(), [] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_in_a_pool();
    CUDA_OK(cuMemFreeAsync(address, stream));
    CUDA_OK(cuMemPrefetchAsync_v2(address, kBytes, kDevice, 0, stream));  // Not dead yet.
    cuStreamSynchronize(stream);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaManagedOrder, APrefetchCannotBeCaptured) {
  run([] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_managed();
    CUDA_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT_EQ(cuMemPrefetchAsync_v2(address, kBytes, kDevice, 0, stream),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  });
  expect_none();
}

}  // namespace
}  // namespace harness::testing
