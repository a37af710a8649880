// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: address reservations, physical memory, and mappings.
#include <unistd.h>

#include "harness/devices/tests/memory/virtual_memory_stage.h"

namespace harness::testing {
namespace {

using namespace virtual_memory;

class CudaVirtualMemory : public OnEveryDevice {};

/// The same, for properties that are not documented for every device.
class CudaVirtualMemoryHere : public OnEveryDevice {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::gpu) GTEST_SKIP() << "devices may differ";
    OnEveryDevice::SetUp();
  }
};

unsigned long long access_at(CUdeviceptr address) {
  const CUmemLocation here{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  unsigned long long flags = 99;
  EXPECT_EQ(cuMemGetAccess(&flags, &here, address), CUDA_SUCCESS);
  return flags;
}

// ---- use --------------------------------------------------------------------------------------

TEST_P(CudaVirtualMemory, MappedMemoryIsUsedLikeAnyOther) {
  run([this] {
    CUdeviceptr address = make_mapped();
    write_int(address, 41);
    int count = 1;
    CUDA_OK(launch(get_kernel(image(), "add_one"), 1, 1, nullptr, {&address, &count}));
    EXPECT_EQ(read_int(address), 42);
    CUDA_OK(cuMemsetD8_v2(address, 7, kUnit));
    EXPECT_EQ(read_int(address + kUnit - 4), 0x07070707);
    CUDA_OK(cuMemUnmap(address, kUnit));
    CUDA_OK(cuMemAddressFree(address, kUnit));
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, TwoMappingsOfOneMemoryHaveTheSameBytes) {
  run([] {
    const Memory handle = create();
    const CUdeviceptr first = reserve(2 * kUnit);
    const CUdeviceptr second = first + kUnit;
    map(first, handle);
    write_int(first + 64, 5);
    map(second, handle);
    EXPECT_EQ(read_int(second + 64), 5);
    write_int(second + 64, 6);
    EXPECT_EQ(read_int(first + 64), 6);
    CUDA_OK(cuMemUnmap(first, kUnit));
    EXPECT_EQ(read_int(second + 64), 6);
    CUDA_OK(cuMemUnmap(second, kUnit));
    CUDA_OK(cuMemRelease(handle));
    CUDA_OK(cuMemAddressFree(first, 2 * kUnit));
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, UnmappedMemoryKeepsItsBytes) {
  run([] {
    const Memory handle = create();
    const CUdeviceptr address = reserve(kUnit);
    map(address, handle);
    write_int(address, 5);
    CUDA_OK(cuCtxSynchronize());
    CUDA_OK(cuMemUnmap(address, kUnit));
    map(address, handle);
    EXPECT_EQ(read_int(address), 5);
    CUDA_OK(cuMemRelease(handle));
    EXPECT_EQ(read_int(address), 5) << "a mapping keeps the memory";
    CUDA_OK(cuMemUnmap(address, kUnit));
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, AReservationIsUsedAcrossItsMappings) {
  run([this] {
    const CUdeviceptr address = reserve(4 * kUnit);
    map(address, create());
    CUdeviceptr middle = address + kUnit - 4;
    write_int(middle, 1);
    map(address + kUnit, create(2 * kUnit), 2 * kUnit);
    write_int(middle + 4, 2);
    int count = 2;
    CUDA_OK(launch(get_kernel(image(), "add_one"), 1, 2, nullptr, {&middle, &count}));
    int values[2] = {};
    CUDA_OK(cuMemcpyDtoH_v2(values, middle, sizeof values));
    EXPECT_EQ(values[0], 2);
    EXPECT_EQ(values[1], 3);
    CUDA_OK(cuMemsetD32_v2(middle, 9, 2));
    CUDA_OK(cuMemcpyDtoD_v2(address + 2 * kUnit - 4, middle, 8));
    EXPECT_EQ(read_int(address + 2 * kUnit), 9);
    CUDA_OK(cuCtxSynchronize());
    CUDA_OK(cuMemUnmap(address, 3 * kUnit));
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, TheDeviceReportsVirtualMemorySupport) {
  run([] {
    int value = 0;
    CUDA_OK(
        cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    EXPECT_EQ(value, 1);
    const CUmemAllocationProp wanted = on_device();
    std::size_t bytes = 0;
    CUDA_OK(cuMemGetAllocationGranularity(&bytes, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT_EQ(kUnit % bytes, 0U);
    CUDA_OK(cuMemGetAllocationGranularity(&bytes, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    EXPECT_EQ(kUnit % bytes, 0U);
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, AHandleReportsItsProperties) {
  run([] {
    const Memory handle = create();
    CUmemAllocationProp found{};
    CUDA_OK(cuMemGetAllocationPropertiesFromHandle(&found, handle));
    EXPECT_EQ(found.type, CU_MEM_ALLOCATION_TYPE_PINNED);
    EXPECT_EQ(found.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(nullptr, handle), kInvalid);
    CUDA_OK(cuMemRelease(handle));
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, PointerAttributesDescribeMappingAndReservation) {
  run([] {
    const CUdeviceptr address = reserve(2 * kUnit);
    map(address + kUnit, create());
    CUdeviceptr start = 0;
    unsigned type = 0;
    CUDA_OK(
        cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address + kUnit + 8));
    CUDA_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address + kUnit + 8));
    EXPECT_EQ(start, address);
    EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
    CUDA_OK(cuMemUnmap(address + kUnit, kUnit));
  });
  expect_no_fault();
}

// ---- errors -----------------------------------------------------------------------------------

TEST_P(CudaVirtualMemory, AReservationNeedsWholePagesAndAPowerOfTwoAlignment) {
  run([] {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAddressReserve(&address, 0, 0, 0, 0), kInvalid);
    EXPECT_EQ(cuMemAddressReserve(&address, 100, 0, 0, 0), kInvalid);
    EXPECT_EQ(cuMemAddressReserve(&address, kUnit, 3, 0, 0), kInvalid);
    EXPECT_EQ(cuMemAddressReserve(&address, kUnit, 0, 0, 1), kInvalid);
    EXPECT_EQ(cuMemAddressReserve(nullptr, kUnit, 0, 0, 0), kInvalid);
    CUDA_OK(cuMemAddressReserve(&address, kUnit, 8 * kUnit, 0, 0));
    EXPECT_EQ(address % (8 * kUnit), 0U);
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, CreationNeedsWholeUnitsOfPinnedMemory) {
  run([] {
    CUmemAllocationProp wanted = on_device();
    Memory handle = 0;
    EXPECT_EQ(cuMemCreate(&handle, 0, &wanted, 0), kInvalid);
    EXPECT_EQ(cuMemCreate(&handle, 100, &wanted, 0), kInvalid);
    EXPECT_EQ(cuMemCreate(&handle, kUnit, &wanted, 1), kInvalid);
    EXPECT_EQ(cuMemCreate(&handle, kUnit, nullptr, 0), kInvalid);
    EXPECT_EQ(cuMemCreate(nullptr, kUnit, &wanted, 0), kInvalid);
    std::size_t bytes = 0;
    EXPECT_EQ(cuMemGetAllocationGranularity(nullptr, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
              kInvalid);
    wanted.location.id = 99;
    EXPECT_EQ(cuMemCreate(&handle, kUnit, &wanted, 0), CUDA_ERROR_INVALID_DEVICE);
    wanted.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    CUDA_OK(cuMemGetAllocationGranularity(&bytes, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT_EQ(bytes, kUnit) << "which goes by neither";
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, MemoryIsMappedWholeAndOnce) {
  run([] {
    const Memory handle = create(2 * kUnit);
    const CUdeviceptr address = reserve(4 * kUnit);
    constexpr CUresult kNotSupported = CUDA_ERROR_NOT_SUPPORTED;
    EXPECT_EQ(cuMemMap(address + 4096, kUnit, 0, handle, 0), kNotSupported);
    EXPECT_EQ(cuMemMap(address, 4096, 0, handle, 0), kNotSupported);
    EXPECT_EQ(cuMemMap(address, kUnit, 0, handle, 1), kInvalid);
    EXPECT_EQ(cuMemMap(address, kUnit, 0, handle, 0), kNotSupported) << "a part of it";
    EXPECT_EQ(cuMemMap(address, 4 * kUnit, 0, handle, 0), kNotSupported) << "more than there is";
    CUDA_OK(cuMemMap(address, 2 * kUnit, 0, handle, 0));
    EXPECT_EQ(cuMemMap(address, 2 * kUnit, 0, handle, 0), kInvalid) << "mapped already";
    EXPECT_EQ(cuMemMap(address + kUnit, 2 * kUnit, 0, handle, 0), kInvalid) << "mapped in part";
    CUDA_OK(cuMemUnmap(address, 2 * kUnit));
    CUDA_OK(cuMemRelease(handle));
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, AMappingBeyondItsReservationIsRefused) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver maps past the end, to whose addresses?";
  run([] {
    const Memory handle = create(2 * kUnit);
    const CUdeviceptr address = reserve(2 * kUnit);
    EXPECT_EQ(cuMemMap(address + kUnit, 2 * kUnit, 0, handle, 0), kInvalid);
    CUDA_OK(cuMemRelease(handle));
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, OnlyWholeMappingsAndEmptyReservationsEnd) {
  run([] {
    const CUdeviceptr address = make_mapped(2 * kUnit);
    EXPECT_EQ(cuMemUnmap(address, kUnit), kInvalid);
    EXPECT_EQ(cuMemUnmap(address + kUnit, kUnit), kInvalid);
    EXPECT_EQ(cuMemAddressFree(address, 2 * kUnit), kInvalid) << "something is mapped";
    EXPECT_EQ(cuMemMap(address + kUnit, kUnit, 0, create(), 0), kInvalid) << "a mapping goes on";
    CUDA_OK(cuMemUnmap(address, 2 * kUnit));
    CUDA_OK(cuMemUnmap(address, 2 * kUnit));  // Nothing is mapped, and nothing is done.
    EXPECT_EQ(cuMemAddressFree(address, kUnit), kInvalid) << "another size";
    CUDA_OK(cuMemAddressFree(address, 2 * kUnit));
    EXPECT_EQ(cuMemAddressFree(address, 2 * kUnit), kInvalid) << "no reservation any more";
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, AccessIsSetForWholeMappingsAndReported) {
  run([] {
    const CUdeviceptr address = reserve(2 * kUnit);
    EXPECT_EQ(set_access(address, kUnit), kInvalid) << "nothing is mapped";
    CUDA_OK(cuMemMap(address, kUnit, 0, create(), 0));
    EXPECT_EQ(access_at(address), CU_MEM_ACCESS_FLAGS_PROT_NONE);
    EXPECT_EQ(set_access(address, 2 * kUnit), kInvalid) << "a part is not mapped";
    EXPECT_EQ(cuMemSetAccess(address, kUnit, nullptr, 1), kInvalid);
    CUDA_OK(set_access(address, kUnit));
    EXPECT_EQ(access_at(address + 4096), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemAccessDesc wish{.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 99},
                         .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_EQ(cuMemSetAccess(address, kUnit, &wish, 1), kInvalid) << "no such device";
    const CUmemLocation here{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    unsigned long long flags = 0;
    EXPECT_EQ(cuMemGetAccess(&flags, &here, address + kUnit), kInvalid);
    EXPECT_EQ(cuMemGetAccess(nullptr, &here, address), kInvalid);
    CUDA_OK(cuMemUnmap(address, kUnit));
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemory, AnAddressReturnsTheHandleOfItsMemory) {
  run([] {
    const Memory handle = create();
    const CUdeviceptr address = reserve(2 * kUnit);
    map(address, handle);
    Memory found = 0;
    auto* place = reinterpret_cast<void*>(address + 100);
    CUDA_OK(cuMemRetainAllocationHandle(&found, place));
    EXPECT_EQ(found, handle);
    CUDA_OK(cuMemRelease(handle));
    CUDA_OK(cuMemRelease(found));
    CUDA_OK(cuMemRetainAllocationHandle(&found, place));
    CUDA_OK(cuMemUnmap(address, kUnit));
    map(address + kUnit, found);
    CUDA_OK(cuMemRelease(found));
    EXPECT_EQ(cuMemRetainAllocationHandle(&found, place), kInvalid);
  });
  expect_no_fault();
}

// ---- lives ------------------------------------------------------------------------------------

TEST_P(CudaVirtualMemory, AReleasedHandleIsNotMapped) {
  run([] {
    const CUdeviceptr address = reserve(kUnit);
    const Memory handle = create();
    CUDA_OK(cuMemRelease(handle));
    EXPECT_EQ(cuMemMap(address, kUnit, 0, handle, 0), kInvalid);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaVirtualMemory, AHandleIsReleasedOnce) {
  run([] {
    const Memory handle = create();
    CUDA_OK(cuMemRelease(handle));
    EXPECT_EQ(cuMemRelease(handle), kInvalid);
  });
  expect_fault("double_free");
}

TEST_P(CudaVirtualMemory, UsingUnmappedMemoryIsAFault) {
  run([] {
    const CUdeviceptr address = make_mapped();
    CUDA_OK(cuMemUnmap(address, kUnit));
    EXPECT_EQ(cuMemsetD8_v2(address, 0, 64), kInvalid);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaVirtualMemory, MappedMemoryIsNotFreedByOtherFunctions) {
  run([] {
    const CUdeviceptr address = make_mapped();
    EXPECT_EQ(cuMemFree_v2(address), kInvalid);
    CUDA_OK(cuMemUnmap(address, kUnit));
  });
  expect_fault("api_misuse");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaVirtualMemory);

// ---- on our driver ----------------------------------------------------------------------------

constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

TEST_P(CudaVirtualMemoryHere, MemoryOutsideTheDeviceIsUnsupported) {
  run([] {
    Memory handle = 0;
    CUmemAllocationProp wanted = on_device();
    wanted.location.type = CU_MEM_LOCATION_TYPE_HOST;
    EXPECT_EQ(cuMemCreate(&handle, kUnit, &wanted, 0), CUDA_ERROR_NOT_SUPPORTED);
    wanted = on_device();
    wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    EXPECT_EQ(cuMemCreate(&handle, kUnit, &wanted, 0), CUDA_ERROR_NOT_SUPPORTED);
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemoryHere, AFileDescriptorImportsTheSameMemory) {
  run([] {
    CUmemAllocationProp wanted = on_device();
    wanted.requestedHandleTypes = kFile;
    Memory made = 0;
    Memory imported = 0;
    int file = -1;
    CUDA_OK(cuMemCreate(&made, kUnit, &wanted, 0));
    CUDA_OK(cuMemExportToShareableHandle(&file, made, kFile, 0));
    auto* from = reinterpret_cast<void*>(std::intptr_t{file});
    CUDA_OK(cuMemImportFromShareableHandle(&imported, from, kFile));
    EXPECT_EQ(imported, made);
    EXPECT_EQ(cuMemExportToShareableHandle(&file, create(kUnit), kFile, 0), kInvalid);
    EXPECT_EQ(cuMemExportToShareableHandle(&file, made, CU_MEM_HANDLE_TYPE_FABRIC, 0), kInvalid);
    EXPECT_EQ(cuMemExportToShareableHandle(&file, made, kFile, 1), kInvalid);
    EXPECT_EQ(cuMemImportFromShareableHandle(&imported, nullptr, kFile), kInvalid) << "any file";
    CUDA_OK(cuMemRelease(made));
    CUDA_OK(cuMemRelease(imported));
    EXPECT_EQ(cuMemImportFromShareableHandle(&imported, from, kFile), kInvalid);
    close(file);
    EXPECT_EQ(cuMemRelease(made), kInvalid);
  });
  expect_fault("double_free");
}

TEST_P(CudaVirtualMemoryHere, AMappingWithAnOffsetIsUnsupported) {
  run([] {
    const Memory handle = create(2 * kUnit);
    EXPECT_EQ(cuMemMap(reserve(kUnit), kUnit, kUnit, handle, 0), kInvalid);
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemoryHere, ReadOnlyAccessIsUnsupported) {
  run([] {
    const CUdeviceptr address = make_mapped();
    EXPECT_EQ(set_access(address, kUnit, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_ERROR_NOT_SUPPORTED);
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemoryHere, MemoryIsCountedAndRunsOut) {
  run([] {
    const CUmemAllocationProp wanted = on_device();
    Memory handle = 0;
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    EXPECT_EQ(cuMemCreate(&handle, std::size_t{1} << 40, &wanted, 0), CUDA_ERROR_OUT_OF_MEMORY);
    CUDA_OK(cuMemGetInfo_v2(&before, &total));
    CUDA_OK(cuMemCreate(&handle, kUnit, &wanted, 0));
    CUDA_OK(cuMemGetInfo_v2(&after, &total));
    EXPECT_EQ(after, before - kUnit);
    const CUdeviceptr address = reserve(kUnit);
    map(address, handle);
    CUDA_OK(cuMemRelease(handle));
    CUDA_OK(cuMemGetInfo_v2(&after, &total));
    EXPECT_EQ(after, before - kUnit) << "it is mapped";
    CUDA_OK(cuMemUnmap(address, kUnit));
    CUDA_OK(cuMemGetInfo_v2(&after, &total));
    EXPECT_EQ(after, before);
    CUdeviceptr none = 0;
    EXPECT_EQ(cuMemAddressReserve(&none, std::size_t{1} << 45, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemoryHere, EachMappingKeepsTheMemory) {
  run([] {
    const auto free_bytes = [] {
      std::size_t free = 0;
      std::size_t total = 0;
      EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
      return free;
    };
    const std::size_t before = free_bytes();
    const Memory handle = create();
    const CUdeviceptr first = reserve(2 * kUnit);
    const CUdeviceptr second = first + kUnit;
    map(first, handle);
    map(second, handle);
    CUDA_OK(cuMemRelease(handle));
    CUDA_OK(cuMemUnmap(first, kUnit));
    EXPECT_EQ(free_bytes(), before - kUnit);
    write_int(second, 5);
    EXPECT_EQ(read_int(second), 5);
    CUDA_OK(cuMemUnmap(second, kUnit));
    EXPECT_EQ(free_bytes(), before);
  });
  expect_no_fault();
}

TEST_P(CudaVirtualMemoryHere, AddressesAreReusedOnceExhausted) {
  run([] {
    constexpr std::size_t kBig = std::size_t{5} << 30;
    for (int i = 0; i < 40; ++i) {
      const CUdeviceptr address = reserve(kBig);
      ASSERT_NE(address, 0U);
      CUDA_OK(cuMemAddressFree(address, kBig));
    }
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaVirtualMemoryHere);

}  // namespace
}  // namespace harness::testing
