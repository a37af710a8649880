// SPDX-License-Identifier: Apache-2.0
// Virtual memory, with choices of the simulated driver: late work, reused addresses, pointers, and
// order.
#include "harness/devices/tests/memory/ipc_stage.h"
#include "harness/devices/tests/memory/virtual_memory_stage.h"

namespace harness::testing {
namespace {

using namespace virtual_memory;

class CudaVirtualMemoryLate : public UnderStrategy {};

/// Leaves work queued, and reuses addresses if possible.
class LateAndRecycled : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    return question.site == Site::lag || question.site == Site::reuse ? 1 : 0;
  }
};

TEST_F(CudaVirtualMemoryLate, UsingReservedAddressesIsAFault) {
  run(Plain(), [] { EXPECT_EQ(cuMemsetD8_v2(reserve(kUnit), 0, 64), kInvalid); });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaVirtualMemoryLate, AKernelUseOfReservedAddressesIsAFault) {
  run(Plain(), [] { keep_busy(nullptr, reserve(kUnit)); });
  EXPECT_EQ(stage.fault(), "wild_access");
}

TEST_F(CudaVirtualMemoryLate, AKernelUseWithoutAccessIsAFault) {
  run(Plain(), [] {
    const CUdeviceptr address = reserve(kUnit);
    CUDA_OK(cuMemMap(address, kUnit, 0, create(), 0));
    keep_busy(nullptr, address);
  });
  EXPECT_EQ(stage.fault(), "wild_access");
}

TEST_F(CudaVirtualMemoryLate, AUseAfterRevokedAccessIsAUseAfterFree) {
  run(Plain(), [] {
    const CUdeviceptr address = make_mapped();
    CUDA_OK(set_access(address, kUnit, CU_MEM_ACCESS_FLAGS_PROT_NONE));
    keep_busy(nullptr, address);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaVirtualMemoryLate, TheLastOfSeveralAccessDescriptorsCounts) {
  run(Plain(), [] {
    const CUdeviceptr address = make_mapped();
    const CUmemLocation here{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    const CUmemAccessDesc wishes[] = {{here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
                                      {here, CU_MEM_ACCESS_FLAGS_PROT_NONE}};
    CUDA_OK(cuMemSetAccess(address, kUnit, wishes, 2));
    unsigned long long flags = 99;
    CUDA_OK(cuMemGetAccess(&flags, &here, address));
    EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  });
  expect_finished();
}

TEST_F(CudaVirtualMemoryLate, AReservationOfAnotherProcessIsInvalid) {
  run(Plain(), [this] {
    const CUdeviceptr address = reserve(kUnit);
    {
      const AsImporter other(stage.world);
      const Memory handle = create();
      EXPECT_EQ(cuMemMap(address, kUnit, 0, handle, 0), kInvalid);
      EXPECT_EQ(cuMemAddressFree(address, kUnit), kInvalid);
      CUDA_OK(cuMemRelease(handle));
    }
    CUDA_OK(cuMemAddressFree(address, kUnit));
  });
  expect_finished();
}

TEST_F(CudaVirtualMemoryLate, AKernelAfterTheUnmapIsAFault) {
  run(lagging(), [] {
    const CUdeviceptr address = make_mapped();
    keep_busy(nullptr, address);
    CUDA_OK(cuMemUnmap(address, kUnit));
    cuStreamSynchronize(nullptr);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaVirtualMemoryLate, ACopyAfterTheUnmapIsAFault) {
  run(lagging(), [] {
    const CUdeviceptr address = make_mapped();
    CUDA_OK(cuMemcpyDtoDAsync_v2(allocate(64), address, 64, nullptr));
    CUDA_OK(cuMemUnmap(address, kUnit));
    cuStreamSynchronize(nullptr);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
  EXPECT_EQ(stage.faults.front().object_kind.view(), "mapped memory");
}

TEST_F(CudaVirtualMemoryLate, ACopyBeyondTheEndOfAMappingIsAFault) {
  run(lagging(), [] {
    const CUdeviceptr address = reserve(2 * kUnit);
    map(address, create());
    map(address + kUnit, create());
    CUDA_OK(cuMemcpyDtoDAsync_v2(allocate(64), address + kUnit - 32, 64, nullptr));
    CUDA_OK(cuMemUnmap(address + kUnit, kUnit));
    cuStreamSynchronize(nullptr);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaVirtualMemoryLate, AKernelAfterARemapIsAFault) {
  run(lagging(), [] {
    const CUdeviceptr address = make_mapped();
    keep_busy(nullptr, address);
    CUDA_OK(cuMemUnmap(address, kUnit));
    map(address, create());
    CUDA_OK(cuStreamSynchronize(nullptr));
  });
  EXPECT_EQ(stage.fault(), "recycled_use");
}

TEST_F(CudaVirtualMemoryLate, AKernelAfterARemapOfAnotherPartIsAFault) {
  run(lagging(), [] {
    const CUdeviceptr address = reserve(2 * kUnit);
    map(address, create());
    map(address + kUnit, create());
    CUdeviceptr middle = address + kUnit - 4;
    int count = 2;
    CUDA_OK(launch(get_kernel(&afterlife_kernels_conformance, "add_one"), 1, 2, nullptr,
                   {&middle, &count}));
    CUDA_OK(cuMemUnmap(address + kUnit, kUnit));
    map(address + kUnit, create());
    CUDA_OK(cuStreamSynchronize(nullptr));
  });
  EXPECT_EQ(stage.fault(), "recycled_use");
}

TEST_F(CudaVirtualMemoryLate, AKernelMayUseMemoryMappedWhileItIsQueued) {
  run(lagging(), [] {
    const CUdeviceptr address = reserve(2 * kUnit);
    map(address, create());
    CUdeviceptr middle = address + kUnit - 4;
    int count = 2;
    CUDA_OK(launch(get_kernel(&afterlife_kernels_conformance, "add_one"), 1, 2, nullptr,
                   {&middle, &count}));
    map(address + kUnit, create());
    CUDA_OK(cuStreamSynchronize(nullptr));
  });
  expect_finished();
}

TEST_F(CudaVirtualMemoryLate, AKernelAfterANewReservationIsAFault) {
  run(LateAndRecycled(), [] {
    const CUdeviceptr address = make_mapped();
    keep_busy(nullptr, address);
    CUDA_OK(cuMemUnmap(address, kUnit));
    CUDA_OK(cuMemAddressFree(address, kUnit));
    EXPECT_EQ(make_mapped(), address) << "the addresses come back, by a pick";
    CUDA_OK(cuStreamSynchronize(nullptr));
  });
  EXPECT_EQ(stage.fault(), "recycled_use");
}

TEST_F(CudaVirtualMemoryLate, APointerPassedBeforeTheMappingRefersToIt) {
  run(LateAndRecycled(), [] {
    const CUdeviceptr before = make_mapped();
    CUDA_OK(cuMemUnmap(before, kUnit));
    CUDA_OK(cuMemAddressFree(before, kUnit));
    const CUdeviceptr address = reserve(kUnit);
    keep_busy(nullptr, address);
    map(address, create());
    CUDA_OK(cuStreamSynchronize(nullptr));
  });
  expect_finished();
}

TEST_F(CudaVirtualMemoryLate, PointersInMemoryAreFollowedThroughAnyMapping) {
  run(Plain(), [] {
    const Memory handle = create();
    const CUdeviceptr first = reserve(2 * kUnit);
    CUdeviceptr second = first + kUnit;
    map(first, handle);
    map(second, handle);
    CUdeviceptr numbers = allocate(64);
    CUdeviceptr result = allocate(64);
    write_int(numbers, 77);
    CUDA_OK(cuMemcpyHtoD_v2(first, &numbers, sizeof numbers));
    CUDA_OK(cuMemcpyHtoD_v2(first + 128, &result, sizeof result));
    CUfunction follow = get_kernel(&afterlife_kernels_conformance, "copy_indirect");
    CUDA_OK(launch(follow, 1, 1, nullptr, {&second, &result}));
    EXPECT_EQ(read_int(result), 77);
    CUDA_OK(cuMemcpyDtoDAsync_v2(second + 64, first, 8, nullptr));
    CUdeviceptr copied = first + 64;
    CUDA_OK(launch(follow, 1, 1, nullptr, {&copied, &result}));
    CUDA_OK(cuCtxSynchronize());
  });
  expect_finished();
}

TEST_F(CudaVirtualMemoryLate, TwoMappingsOfOneMemoryRace) {
  stage.judge_order();
  run(Plain(), [] {
    const Memory handle = create();
    const CUdeviceptr first = reserve(2 * kUnit);
    map(first, handle);
    map(first + kUnit, handle);
    CUDA_OK(cuMemsetD32Async(first, 1, 4, make_stream()));
    CUDA_OK(cuMemsetD32Async(first + kUnit, 2, 4, make_stream()));
  });
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(CudaVirtualMemoryLate, AnUnmapUnorderedWithAUseIsARace) {
  stage.judge_order();
  run(Plain(), [] {
    const Memory handle = create();
    const CUdeviceptr address = reserve(kUnit);
    map(address, handle);
    CUDA_OK(cuMemsetD32Async(address, 1, 4, nullptr));
    CUDA_OK(cuMemUnmap(address, kUnit));
  });
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(CudaVirtualMemoryLate, MappingsDoNotOutliveTheirRun) {
  CUdeviceptr first = 0;
  run(Plain(), [&] {
    first = make_mapped();
    write_int(first, 5);
  });
  expect_finished();
  run(Plain(), [&] {
    EXPECT_EQ(reserve(kUnit), first);
    EXPECT_EQ(cuMemsetD8_v2(first, 0, 64), kInvalid);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

}  // namespace
}  // namespace harness::testing
