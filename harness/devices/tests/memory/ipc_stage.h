// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of inter-process communication: an exporting and an importing process.
#pragma once

#include <cstring>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {

inline constexpr unsigned kLazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
inline constexpr unsigned kShared = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;

inline CUipcMemHandle export_memory(CUdeviceptr address) {
  CUipcMemHandle handle{};
  EXPECT_EQ(cuIpcGetMemHandle(&handle, address), CUDA_SUCCESS);
  return handle;
}

inline bool same(const CUipcMemHandle& left, const CUipcMemHandle& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

inline constexpr ProcessId kImporter{1};

/// Makes calls of the other process while it exists, with its own context.
class AsImporter {
 public:
  explicit AsImporter(World& world) : scope_(world.scheduler, kImporter) {
    CUcontext context = nullptr;
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
  }
  ~AsImporter() { EXPECT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS); }

 private:
  ProcessScope scope_;
};

inline CUdeviceptr import(const CUipcMemHandle& handle) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, handle, kLazy), CUDA_SUCCESS);
  return address;
}

inline CUdeviceptr import_by_importer(World& world, const CUipcMemHandle& handle) {
  const AsImporter importer(world);
  return import(handle);
}

inline CUipcEventHandle export_event(CUevent event) {
  CUipcEventHandle handle{};
  EXPECT_EQ(cuIpcGetEventHandle(&handle, event), CUDA_SUCCESS);
  return handle;
}

/// An importer waits for what the exporter recorded, and records the event in its turn. `is_late`:
/// the exporter's work is still queued when the event is opened.
inline void share_an_event(World& world, bool is_late) {
  const CUdeviceptr memory = allocate(64);
  CUevent event = make_event(kShared);
  const CUipcEventHandle handle = export_event(event);
  const CUipcMemHandle memory_handle = export_memory(memory);
  CUstream stream = make_stream();
  CUDA_OK(cuMemsetD32Async(memory, 5, 1, stream));
  CUDA_OK(cuEventRecord(event, stream));
  const AsImporter importer(world);
  CUevent opened = nullptr;
  CUDA_OK(cuIpcOpenEventHandle(&opened, handle));
  if (is_late) {
    EXPECT_EQ(cuEventQuery(opened), CUDA_ERROR_NOT_READY);
  }
  CUstream mine = make_stream();
  CUDA_OK(cuStreamWaitEvent(mine, opened, 0));
  int value = 0;
  CUDA_OK(cuMemcpyDtoHAsync_v2(&value, import(memory_handle), sizeof value, mine));
  CUDA_OK(cuStreamSynchronize(mine));
  EXPECT_EQ(value, 5);
  EXPECT_EQ(cuEventQuery(opened), CUDA_SUCCESS);
  CUDA_OK(cuEventRecord(opened, mine));
  CUDA_OK(cuEventSynchronize(opened));
  CUDA_OK(cuEventDestroy_v2(opened));
}

}  // namespace harness::testing
