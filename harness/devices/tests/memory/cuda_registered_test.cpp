// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: registered host memory.
#include <sys/mman.h>

#include "harness/devices/tests/cuda_stage.h"
#include "harness/driver/cuda/leeway.h"

namespace harness::testing {
namespace {

class CudaRegistered : public OnEveryDevice {};

/// Two pages of the program.
struct Pages {
  static constexpr std::size_t kBytes = 8192;
  Pages()
      : start(static_cast<int*>(
            mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { munmap(start, kBytes); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  int* start;
};

CUdeviceptr device_pointer(void* host) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&address, host, 0), CUDA_SUCCESS);
  return address;
}

int attribute(CUdevice_attribute which) {
  int value = -1;
  EXPECT_EQ(cuDeviceGetAttribute(&value, which, 0), CUDA_SUCCESS);
  return value;
}

// ---- on every device --------------------------------------------------------------------------

TEST_P(CudaRegistered, TheDeviceUsesRegisteredMemory) {
  Pages pages;
  run([&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
    *pages.start = 41;
    CUdeviceptr address = device_pointer(pages.start);
    int count = 1;
    CUDA_OK(launch(get_kernel(image(), "add_one"), 1, 1, nullptr, {&address, &count}));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(*pages.start, 42);
    CUDA_OK(cuMemHostUnregister(pages.start));
  });
  expect_no_fault();
}

TEST_P(CudaRegistered, TheDeviceAddressIsReported) {
  Pages pages;
  run([&] {
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED), 1);
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    const bool same = attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM) == 1;
    EXPECT_EQ(device_pointer(pages.start) == reinterpret_cast<CUdeviceptr>(pages.start), same);
    CUDA_OK(cuMemHostUnregister(pages.start));
  });
  expect_no_fault();
}

TEST_P(CudaRegistered, CopiesAndSetsTreatItAsPinned) {
  Pages pages;
  run([&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, CU_MEMHOSTREGISTER_PORTABLE));
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemsetD32_v2(device_pointer(pages.start), 7, 16));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(pages.start[15], 7);
    CUDA_OK(cuMemcpyHtoDAsync_v2(address, pages.start, 64, nullptr));
    CUDA_OK(cuMemcpyDtoHAsync_v2(pages.start + 16, address, 64, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(pages.start[31], 7);
    CUDA_OK(cuMemHostUnregister(pages.start));
  });
  expect_no_fault();
}

TEST_P(CudaRegistered, UnknownFlagsAndEmptyRangesAreInvalid) {
  Pages pages;
  run([&] {
    EXPECT_EQ(cuMemHostRegister_v2(pages.start, 4096, 0xf0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostRegister_v2(pages.start, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostRegister_v2(nullptr, 4096, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostUnregister(nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaRegistered, OverlappingRegistrationsAreRefused) {
  Pages pages;
  run([&] {
    constexpr CUresult kError = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    CUDA_OK(cuMemHostRegister_v2(pages.start, 8192, 0));
    EXPECT_EQ(cuMemHostRegister_v2(pages.start, 8192, 0), kError);
    EXPECT_EQ(cuMemHostRegister_v2(pages.start + 1024, 4096, 0), kError);
    CUDA_OK(cuMemHostUnregister(pages.start));
    CUDA_OK(cuMemHostRegister_v2(pages.start + 1024, 4096, 0));
    EXPECT_EQ(cuMemHostRegister_v2(pages.start, 8192, 0), kError);
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    CUDA_OK(cuMemHostUnregister(pages.start));
    CUDA_OK(cuMemHostUnregister(pages.start + 1024));
  });
  expect_no_fault();
}

TEST_P(CudaRegistered, UnregisteringNeedsTheStartOfARegistration) {
  Pages pages;
  run([&] {
    constexpr CUresult kError = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    EXPECT_EQ(cuMemHostUnregister(pages.start), kError);
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    EXPECT_NE(cuMemHostUnregister(pages.start + 1), CUDA_SUCCESS);
    CUDA_OK(cuMemHostUnregister(pages.start));
    EXPECT_EQ(cuMemHostUnregister(pages.start), kError);
  });
  expect_no_fault();
}

TEST_P(CudaRegistered, PointerAttributesDescribeItUntilItIsUnregistered) {
  Pages pages;
  run([&] {
    const auto address = reinterpret_cast<CUdeviceptr>(pages.start) + 64;
    unsigned type = 0;
    EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    CUDA_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_HOST});
    void* host = nullptr;
    CUDA_OK(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, address));
    EXPECT_EQ(host, pages.start + 16);
    CUDA_OK(cuMemHostUnregister(pages.start));
    EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
              CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr none = 0;
    EXPECT_EQ(cuMemHostGetDevicePointer_v2(&none, pages.start, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaRegistered, UnregisteredMemoryIsPageableAgain) {
  Pages pages;
  run([&] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    CUDA_OK(cuMemHostUnregister(pages.start));
    *pages.start = 5;
    CUDA_OK(cuMemcpyHtoDAsync_v2(address, pages.start, 64, nullptr));
    *pages.start = 6;
    EXPECT_EQ(read_int(address), 5);
  });
  expect_no_fault();
}

TEST_P(CudaRegistered, RegisteredMemoryIsNotFreedByTheDriver) {
  Pages pages;
  run([&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    EXPECT_NE(cuMemFree_v2(device_pointer(pages.start)), CUDA_SUCCESS);
    CUDA_OK(cuMemHostUnregister(pages.start));
  });
  expect_fault("api_misuse");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaRegistered);

// ---- on our driver ----------------------------------------------------------------------------

/// The same, for properties that are not documented for every device.
class CudaRegisteredHere : public OnEveryDevice {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::gpu) GTEST_SKIP() << "drivers may differ";
    OnEveryDevice::SetUp();
  }
};

TEST_P(CudaRegisteredHere, RegisteringUnmappedMemoryIsInvalid) {
  Pages pages;
  void* gone = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(gone, 4096);
  run([&] { EXPECT_EQ(cuMemHostRegister_v2(gone, 4096, 0), CUDA_ERROR_INVALID_VALUE); });
  expect_no_fault();
}

TEST_P(CudaRegisteredHere, RegisteringDriverMemoryIsRefused) {
  run([] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 64));
    EXPECT_EQ(cuMemHostRegister_v2(pinned, 64, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    void* device = reinterpret_cast<void*>(allocate(64));
    EXPECT_EQ(cuMemHostRegister_v2(device, 64, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaRegisteredHere, ReadOnlyRegistrationIsReportedAsUnsupported) {
  Pages pages;
  run([&] {
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED), 0);
    EXPECT_EQ(cuMemHostRegister_v2(pages.start, 4096, CU_MEMHOSTREGISTER_READ_ONLY),
              CUDA_ERROR_NOT_SUPPORTED);
  });
  expect_no_fault();
}

TEST_P(CudaRegisteredHere, FlagsOfRegisteredMemoryAreInvalid) {
  Pages pages;
  run([&] {
    unsigned flags = 0;
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, CU_MEMHOSTREGISTER_PORTABLE));
    EXPECT_EQ(cuMemHostGetFlags(&flags, pages.start), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaRegisteredHere, ACopyPartlyOutsideARegistrationIsInvalid) {
  Pages pages;
  run([&] {
    if (GetParam() != Backend::sim) return;  // The pass-through notes it as well.
    CUdeviceptr address = allocate(8192);
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    EXPECT_EQ(cuMemcpyHtoD_v2(address, pages.start, 8192), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyHtoD_v2(address, pages.start + 512, 4096), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemcpyHtoD_v2(address, pages.start + 1024, 4096));
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaRegisteredHere);

// ---- late work, and pointers ------------------------------------------------------------------

class CudaRegisteredLate : public UnderStrategy {
 protected:
  /// All work is late, and unregistering does not wait for it.
  template <class Body>
  void run_at_least(Body body) {
    run(lagging(), [&] {
      give_leeway(stage.world);
      body();
    });
  }
};

CUfunction kernel(const char* name) { return get_kernel(&afterlife_kernels_conformance, name); }

TEST_F(CudaRegisteredLate, ACopyAfterTheUnregistrationIsAFault) {
  Pages pages;
  run_at_least([&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    CUDA_OK(cuMemcpyHtoDAsync_v2(allocate(64), pages.start, 64, nullptr));
    CUDA_OK(cuMemHostUnregister(pages.start));
    cuStreamSynchronize(nullptr);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
  EXPECT_EQ(stage.faults.front().object_kind.view(), "registered memory");
}

TEST_F(CudaRegisteredLate, AKernelAfterTheUnregistrationIsAFault) {
  Pages pages;
  run_at_least([&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    keep_busy(nullptr, device_pointer(pages.start));
    CUDA_OK(cuMemHostUnregister(pages.start));
    cuStreamSynchronize(nullptr);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaRegisteredLate, AKernelAfterTheNextRegistrationIsAFault) {
  Pages pages;
  run_at_least([&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    keep_busy(nullptr, device_pointer(pages.start));
    CUDA_OK(cuMemHostUnregister(pages.start));
    CUDA_OK(cuMemHostRegister_v2(pages.start, 8192, 0));
    CUDA_OK(cuStreamSynchronize(nullptr));
    CUDA_OK(cuMemHostUnregister(pages.start));
  });
  EXPECT_EQ(stage.fault(), "recycled_use");
}

TEST_F(CudaRegisteredLate, AKernelUseOfUnregisteredMemoryIsAFault) {
  Pages pages;
  run(Plain(), [&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    keep_busy(nullptr, device_pointer(pages.start) + 4096);
    cuStreamSynchronize(nullptr);
  });
  EXPECT_EQ(stage.fault(), "wild_access");
}

TEST_F(CudaRegisteredLate, UnregisteringWaitsForWorkInFlight) {
  Pages pages;
  stage.judge_order();
  run(lagging(), [&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    *pages.start = 41;
    keep_busy(nullptr, device_pointer(pages.start));
    CUDA_OK(cuMemHostUnregister(pages.start));
    EXPECT_EQ(*pages.start, 42);
  });
  expect_finished();
}

TEST_F(CudaRegisteredLate, TheEndOfTheContextEndsItsRegistrations) {
  Pages pages;
  run(Plain(), [&] {
    CUcontext context = nullptr;
    CUDA_OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    CUDA_OK(cuCtxDestroy_v2(context));
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    CUDA_OK(cuMemHostUnregister(pages.start));
  });
  expect_finished();
}

TEST_F(CudaRegisteredLate, PointersInRegisteredMemoryAreFollowed) {
  Pages pages;
  run(Plain(), [&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 4096, 0));
    CUdeviceptr table = device_pointer(pages.start);
    CUdeviceptr numbers = allocate(64);
    CUdeviceptr result = table + 64;
    write_int(numbers, 77);
    *reinterpret_cast<CUdeviceptr*>(pages.start) = numbers;
    CUDA_OK(launch(kernel("copy_indirect"), 1, 1, nullptr, {&table, &result}));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(pages.start[16], 77);
    CUDA_OK(cuMemFree_v2(numbers));
    CUDA_OK(launch(kernel("copy_indirect"), 1, 1, nullptr, {&table, &result}));
    cuStreamSynchronize(nullptr);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
  EXPECT_EQ(pages.start[16], 77);
}

TEST_F(CudaRegisteredLate, PointersToRegisteredMemoryAreFollowedAndCopied) {
  Pages pages;
  run(Plain(), [&] {
    CUDA_OK(cuMemHostRegister_v2(pages.start, 8192, 0));
    CUdeviceptr numbers = device_pointer(pages.start);
    CUdeviceptr table = allocate(64);
    CUdeviceptr result = allocate(64);
    *pages.start = 78;
    *reinterpret_cast<CUdeviceptr*>(pages.start + 1024) = numbers;
    CUDA_OK(cuMemcpyHtoDAsync_v2(table, pages.start + 1024, 64, nullptr));
    CUDA_OK(launch(kernel("copy_indirect"), 1, 1, nullptr, {&table, &result}));
    EXPECT_EQ(read_int(result), 78);
    CUDA_OK(cuMemcpyDtoDAsync_v2(numbers + 2048, table, 64, nullptr));
    CUdeviceptr again = numbers + 2048;
    CUDA_OK(launch(kernel("copy_indirect"), 1, 1, nullptr, {&again, &result}));
    CUDA_OK(cuStreamSynchronize(nullptr));
    CUDA_OK(cuMemHostUnregister(pages.start));
  });
  expect_finished();
}

TEST_F(CudaRegisteredLate, UnmappedMemoryIsNotReadForPointers) {
  run(Plain(), [&] {
    void* pages = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CUDA_OK(cuMemHostRegister_v2(pages, 4096, 0));
    munmap(pages, 4096);
    keep_busy(nullptr, allocate(64));
    CUDA_OK(cuStreamSynchronize(nullptr));
    CUDA_OK(cuMemHostUnregister(pages));
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
