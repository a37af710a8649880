// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: inter-process communication within one process, which cannot
// open its own exports.
#include "harness/devices/tests/memory/ipc_stage.h"

namespace harness::testing {
namespace {

class CudaIpc : public OnEveryDevice {};

TEST_P(CudaIpc, RepeatedExportsReturnTheSameHandle) {
  run([] {
    const CUdeviceptr first = allocate(64);
    const CUdeviceptr second = allocate(64);
    EXPECT_TRUE(same(export_memory(first), export_memory(first)));
    EXPECT_FALSE(same(export_memory(first), export_memory(second)));
  });
  expect_no_fault();
}

TEST_P(CudaIpc, AProcessCannotOpenItsOwnExports) {
  run([] {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, export_memory(allocate(64)), kLazy),
              CUDA_ERROR_INVALID_CONTEXT);
    CUipcEventHandle handle{};
    CUDA_OK(cuIpcGetEventHandle(&handle, make_event(kShared)));
    CUevent event = nullptr;
    EXPECT_EQ(cuIpcOpenEventHandle(&event, handle), CUDA_ERROR_INVALID_CONTEXT);
  });
  expect_no_fault();
}

TEST_P(CudaIpc, NullAndUnknownFlagsAreInvalid) {
  run([] {
    const CUdeviceptr memory = allocate(64);
    EXPECT_EQ(cuIpcGetMemHandle(nullptr, memory), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuIpcGetEventHandle(nullptr, make_event(kShared)), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr address = 0;
    const CUipcMemHandle handle = export_memory(memory);
    EXPECT_EQ(cuIpcOpenMemHandle_v2(nullptr, handle, kLazy), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, handle, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuIpcOpenEventHandle(nullptr, {}), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaIpc, OnlyMemoryOfCuMemAllocCanBeExported) {
  run([] {
    CUipcMemHandle handle{};
    EXPECT_EQ(cuIpcGetMemHandle(&handle, allocate_async(64)), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr managed = 0;
    CUDA_OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    EXPECT_EQ(cuIpcGetMemHandle(&handle, managed), CUDA_ERROR_INVALID_VALUE);
    bool capable = false;
    CUDA_OK(cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                  allocate(64)));
    EXPECT_TRUE(capable);
  });
  expect_no_fault();
}

TEST_P(CudaIpc, OnlyAnInterprocessEventCanBeExported) {
  run([] {
    CUipcEventHandle handle{};
    EXPECT_EQ(cuIpcGetEventHandle(&handle, make_event()), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_no_fault();
}

TEST_P(CudaIpc, ExportingFreedMemoryIsAFault) {
  run([] {
    const CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemFree_v2(address));
    CUipcMemHandle handle{};
    EXPECT_EQ(cuIpcGetMemHandle(&handle, address), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaIpc, ClosingAnAddressThatIsNotAMappingIsRefused) {
  run([] { EXPECT_NE(cuIpcCloseMemHandle(allocate(64)), CUDA_SUCCESS); });
  expect_fault("api_misuse");
}

TEST_P(CudaIpc, AQueryForNoAttributesIsInvalid) {
  run([] {
    EXPECT_EQ(cuPointerGetAttributes(0, nullptr, nullptr, allocate(64)), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaIpc, AttributesOfUnknownMemoryAreNull) {
  run([] {
    unsigned type = 7;
    CUdeviceptr start = 7;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
    void* found[] = {&type, &start};
    int mine = 0;
    CUDA_OK(cuPointerGetAttributes(2, wanted, found, reinterpret_cast<CUdeviceptr>(&mine)));
    EXPECT_EQ(type, 0u);
    EXPECT_EQ(start, 7u) << "there is no range, and it is left as it was";
    const CUdeviceptr address = allocate(64);
    CUDA_OK(cuPointerGetAttributes(2, wanted, found, address + 8));
    EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
    EXPECT_EQ(start, address);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaIpc);

}  // namespace
}  // namespace harness::testing
