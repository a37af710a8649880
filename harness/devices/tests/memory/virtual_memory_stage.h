// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of virtual memory: device memory in units of the granularity.
#pragma once

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing::virtual_memory {

inline constexpr std::size_t kUnit = std::size_t{2} << 20;
inline constexpr CUresult kInvalid = CUDA_ERROR_INVALID_VALUE;

using Memory = CUmemGenericAllocationHandle;

inline CUmemAllocationProp on_device() {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  return wanted;
}

inline Memory create(std::size_t bytes = kUnit) {
  const CUmemAllocationProp wanted = on_device();
  Memory handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, bytes, &wanted, 0), CUDA_SUCCESS);
  return handle;
}

inline CUdeviceptr reserve(std::size_t bytes) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAddressReserve(&address, bytes, kUnit, 0, 0), CUDA_SUCCESS);
  return address;
}

inline CUresult set_access(CUdeviceptr address, std::size_t bytes,
                           CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
  const CUmemAccessDesc wish{.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                             .flags = flags};
  return cuMemSetAccess(address, bytes, &wish, 1);
}

inline void map(CUdeviceptr address, Memory handle, std::size_t bytes = kUnit) {
  EXPECT_EQ(cuMemMap(address, bytes, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(set_access(address, bytes), CUDA_SUCCESS);
}

/// Reserves, creates and maps; nothing else has the handle.
inline CUdeviceptr make_mapped(std::size_t bytes = kUnit) {
  const CUdeviceptr address = reserve(bytes);
  const Memory handle = create(bytes);
  map(address, handle, bytes);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  return address;
}

}  // namespace harness::testing::virtual_memory
