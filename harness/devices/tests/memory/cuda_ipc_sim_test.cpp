// SPDX-License-Identifier: Apache-2.0
// Inter-process communication: choices and checks that only the simulated driver has.
#include <unistd.h>

#include <set>

#include "harness/core/fault/kinds.h"
#include "harness/core/intervention/intervention.h"
#include "harness/devices/tests/memory/ipc_stage.h"

namespace harness::testing {
namespace {

class SimIpc : public OnSim {
 protected:
  template <class Body>
  void run(Body body) {
    EXPECT_EQ(stage.run(body), Ending::finished) << stage.fault();
  }
  void expect_no_fault() const { EXPECT_TRUE(stage.faults.empty()) << stage.fault(); }
  void expect_fault(std::string_view kind) const { EXPECT_EQ(stage.fault(), kind); }
};

TEST_F(SimIpc, MemoryFromBeforeTheFirstMappingIsPreserved) {
  run([this] {
    const CUdeviceptr before = allocate(1 << 16);
    CUDA_OK(cuMemsetD8_v2(before, 9, 1 << 16));
    const CUipcMemHandle handle = export_memory(allocate(64));
    {
      const AsImporter importer(stage.world);
      import(handle);
    }
    EXPECT_EQ(read_int(before + 0xfffc), 0x09090909);
  });
  expect_no_fault();
}

TEST_F(SimIpc, AFileDescriptorImportsOnlyAPoolOfAnotherProcess) {
  constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  run([] {
    CUmemPoolProps wanted{};
    wanted.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemoryPool own = nullptr;
    CUmemoryPool shared = nullptr;
    CUmemoryPool imported = nullptr;
    CUDA_OK(cuMemPoolCreate(&own, &wanted));
    wanted.handleTypes = kFile;
    CUDA_OK(cuMemPoolCreate(&shared, &wanted));
    int file = -1;
    EXPECT_EQ(cuMemPoolExportToShareableHandle(&file, own, kFile, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolExportToShareableHandle(&file, shared, kFile, 1), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemPoolExportToShareableHandle(&file, shared, kFile, 0));
    auto* from = reinterpret_cast<void*>(std::intptr_t{file});
    EXPECT_EQ(cuMemPoolImportFromShareableHandle(&imported, from, kFile, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolImportFromShareableHandle(&imported, from, CU_MEM_HANDLE_TYPE_FABRIC, 0),
              CUDA_ERROR_NOT_SUPPORTED);
    close(file);
    CUdeviceptr address = 0;
    CUmemPoolPtrExportData data{};
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 64, own, nullptr));
    EXPECT_EQ(cuMemPoolExportPointer(&data, address), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 64, shared, nullptr));
    CUDA_OK(cuMemPoolExportPointer(&data, address));
    EXPECT_EQ(cuMemPoolExportPointer(&data, address + 8), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemPoolImportPointer(&address, shared, &data), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

/// Frees mapped memory and allocates where it was: returns the new memory's address.
CUdeviceptr replace(CUdeviceptr memory) {
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_SUCCESS);
  const CUdeviceptr next = allocate(64);
  EXPECT_EQ(next, memory);
  return next;
}

TEST_F(SimIpc, AKernelThatFollowsAPeersOwnAddressIsWild) {
  EXPECT_EQ(stage.run([this] {
    CUdeviceptr memory = allocate(64);
    const AsImporter importer(stage.world);
    int count = 1;
    launch(get_kernel(&afterlife_kernels_conformance, "add_one"), 1, 1, nullptr, {&memory, &count});
  }),
            Ending::fatal);
  expect_fault("wild_access");
}

/// The exporter destroys its event; the importer, who has it open, waits for it.
void wait_for_destroyed(World& world) {
  CUevent event = make_event(kShared);
  CUDA_OK(cuEventRecord(event, nullptr));
  const CUipcEventHandle handle = export_event(event);
  const AsImporter importer(world);
  CUevent opened = nullptr;
  CUDA_OK(cuIpcOpenEventHandle(&opened, handle));
  {
    const ProcessScope exporter(world.scheduler, ProcessId{0});
    CUDA_OK(cuEventDestroy_v2(event));
  }
  cuStreamWaitEvent(make_stream(), opened, 0);
}

TEST_F(SimIpc, ADestroyedEventIsGoneForImportersUnlessARepairKeepsIt) {
  run([this] { wait_for_destroyed(stage.world); });
  expect_fault("use_after_free");
  Intervention kept({.object = "event"});
  const Intervention::Current current(kept);
  run([this] { wait_for_destroyed(stage.world); });
  expect_no_fault();
  EXPECT_EQ(kept.served_count(), 1u);
}

TEST_F(SimIpc, AStreamHandleOfAPeerIsInvalid) {
  run([this] {
    CUstream stream = make_stream();
    const AsImporter importer(stage.world);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("api_misuse");
}

TEST_F(SimIpc, AnotherContextOfTheProcessMayNotOpen) {
  run([this] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const CUipcMemHandle other = export_memory(allocate(64));
    const AsImporter importer(stage.world);
    import(handle);
    CUcontext context = nullptr;
    CUDA_OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
    CUdeviceptr address = 0;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, handle, kLazy), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, other, kLazy), CUDA_ERROR_INVALID_CONTEXT);
    CUDA_OK(cuCtxDestroy_v2(context));
  });
  expect_no_fault();
}

TEST_F(SimIpc, ACopyThatIsStillQueuedWhenItsMappingIsClosedIsAFault) {
  Always lag = lagging();
  EXPECT_EQ(stage.run(lag,
                      [this] {
                        const CUipcMemHandle handle = export_memory(allocate(64));
                        const AsImporter importer(stage.world);
                        const CUdeviceptr target = allocate(64);
                        const CUdeviceptr mapped = import(handle);
                        CUDA_OK(cuMemcpyDtoDAsync_v2(target, mapped, 64, make_stream()));
                        CUDA_OK(cuIpcCloseMemHandle(mapped));
                        CUDA_OK(cuCtxSynchronize());
                      }),
            Ending::fatal);
  expect_fault("use_after_free");
}

TEST_F(SimIpc, AKernelThroughAMappingOfFreedMemoryIsAFaultOfThatMemory) {
  EXPECT_EQ(stage.run([this] {
    const CUdeviceptr memory = allocate(64);
    const CUipcMemHandle handle = export_memory(memory);
    CUdeviceptr mapped = 0;
    {
      const AsImporter importer(stage.world);
      mapped = import(handle);
    }
    CUDA_OK(cuMemFree_v2(memory));
    const AsImporter importer(stage.world);
    int count = 1;
    launch(get_kernel(&afterlife_kernels_conformance, "add_one"), 1, 1, nullptr, {&mapped, &count});
  }),
            Ending::fatal);
  ASSERT_EQ(stage.faults.size(), 2u);
  EXPECT_EQ(stage.faults[1].signature(),
            "use_after_free device memory born:cuMemAlloc died:cuMemFree used:add_one");
  EXPECT_NE(stage.faults[1].detail.find("at offset 0"), std::string::npos)
      << stage.faults[1].detail;
}

TEST_F(SimIpc, MemoryReallocatedAtTheSameAddressHasANewHandle) {
  Always recycling(Site::reuse, 1);
  stage.run(recycling, [this] {
    const CUdeviceptr memory = allocate(64);
    const CUipcMemHandle old = export_memory(memory);
    const CUipcMemHandle fresh = export_memory(replace(memory));
    EXPECT_FALSE(same(old, fresh));
    const AsImporter importer(stage.world);
    CUdeviceptr address = 0;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, old, kLazy), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, fresh, kLazy), CUDA_SUCCESS);
  });
  expect_no_fault();
}

TEST_F(SimIpc, AMappingOfReplacedMemoryBlocksOpensUntilItIsClosed) {
  Always recycling(Site::reuse, 1);
  stage.run(recycling, [this] {
    const CUdeviceptr memory = allocate(64);
    const CUipcMemHandle old = export_memory(memory);
    CUdeviceptr mapped = 0;
    {
      const AsImporter importer(stage.world);
      mapped = import(old);
    }
    const CUipcMemHandle fresh = export_memory(replace(memory));
    const AsImporter importer(stage.world);
    CUdeviceptr address = 0;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, fresh, kLazy), CUDA_ERROR_ALREADY_MAPPED);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
    CUDA_OK(cuIpcOpenMemHandle_v2(&address, fresh, kLazy));
    EXPECT_EQ(address, mapped);
  });
  expect_fault("api_misuse");  // The free.
}

TEST_F(SimIpc, AKernelThroughAMappingOfReplacedMemoryHitsTheNewBlock) {
  Always recycling(Site::reuse, 1);
  EXPECT_EQ(stage.run(recycling,
                      [this] {
                        const CUdeviceptr memory = allocate(64);
                        const CUipcMemHandle handle = export_memory(memory);
                        CUdeviceptr mapped = 0;
                        {
                          const AsImporter importer(stage.world);
                          mapped = import(handle);
                        }
                        write_int(replace(memory), 6);
                        {
                          const AsImporter importer(stage.world);
                          int count = 1;
                          launch(get_kernel(&afterlife_kernels_conformance, "add_one"), 1, 1,
                                 nullptr, {&mapped, &count});
                          CUDA_OK(cuCtxSynchronize());
                        }
                        EXPECT_EQ(read_int(memory), 7);
                      }),
            Ending::finished);
  ASSERT_EQ(stage.faults.size(), 2u);
  EXPECT_EQ(stage.faults[1].kind, FaultKind::recycled_use);
}

TEST_F(SimIpc, TheEndOfAContextClosesItsMappings) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    const CUipcMemHandle handle = export_memory(memory);
    {
      const AsImporter importer(stage.world);
      import(handle);
      CUDA_OK(cuDevicePrimaryCtxRelease_v2(0));
    }
    CUDA_OK(cuMemFree_v2(memory));
  });
  expect_no_fault();
}

TEST_F(SimIpc, AnOpenedEventWaitsForTheExportersWork) {
  Always lag = lagging();
  stage.run(lag, [this] { share_an_event(stage.world, true); });
  expect_no_fault();
}

TEST_F(SimIpc, EachProcessHasItsOwnAddresses) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    const CUipcMemHandle handle = export_memory(memory);
    std::set<CUdeviceptr> seen{memory};
    for (std::uint16_t i = 1; i < 4; ++i) {
      const ProcessScope scope(stage.world.scheduler, ProcessId{i});
      CUcontext context = nullptr;
      CUDA_OK(cuInit(0));
      CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
      CUDA_OK(cuCtxSetCurrent(context));
      seen.insert(import(handle));
      EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, memory), CUDA_ERROR_NOT_FOUND);
    }
    EXPECT_EQ(seen.size(), 4u);
  });
  expect_no_fault();
}

TEST_F(SimIpc, AGraphsKernelRunsInTheProcessThatLaunchedIt) {
  Always late = lagging();
  EXPECT_EQ(stage.run(late,
                      [this] {
                        CUdeviceptr memory = allocate(64);
                        write_int(memory, 1);
                        CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
                        int count = 1;
                        void* values[] = {&memory, &count};
                        CUDA_KERNEL_NODE_PARAMS params{};
                        params.func = function;
                        params.gridDimX = params.gridDimY = params.gridDimZ = 1;
                        params.blockDimX = params.blockDimY = params.blockDimZ = 1;
                        params.kernelParams = values;
                        CUgraph graph = nullptr;
                        CUgraphNode node = nullptr;
                        CUgraphExec exec = nullptr;
                        CUevent event = make_event(kShared);
                        CUstream stream = make_stream();
                        CUDA_OK(cuGraphCreate(&graph, 0));
                        CUDA_OK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
                        CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
                        const CUipcEventHandle handle = export_event(event);
                        CUDA_OK(cuGraphLaunch(exec, stream));
                        CUDA_OK(cuEventRecord(event, stream));
                        {  // Another waits for it.
                          const AsImporter importer(stage.world);
                          CUevent opened = nullptr;
                          CUDA_OK(cuIpcOpenEventHandle(&opened, handle));
                          CUDA_OK(cuEventSynchronize(opened));
                        }
                        EXPECT_EQ(read_int(memory), 2);
                      }),
            Ending::finished);
  expect_no_fault();
}

TEST_F(SimIpc, ATornHandleIsInvalid) {
  run([this] {
    const CUipcMemHandle one = export_memory(allocate(64));
    const CUipcMemHandle other = export_memory(allocate(64));
    const AsImporter importer(stage.world);
    for (std::size_t bytes = 8; bytes < sizeof one; bytes += 8) {
      CUipcMemHandle torn = one;
      std::memcpy(&torn, &other, bytes);
      CUdeviceptr address = 0;
      EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, torn, kLazy), CUDA_ERROR_INVALID_VALUE);
    }
  });
  expect_no_fault();
}

TEST_F(SimIpc, ImportsBeyondTheProcessLimitFail) {
  run([this] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const ProcessScope scope(stage.world.scheduler, ProcessId{16});
    CUcontext context = nullptr;
    CUDA_OK(cuInit(0));
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuCtxSetCurrent(context));
    CUdeviceptr address = 0;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, handle, kLazy), CUDA_ERROR_TOO_MANY_PEERS);
  });
  expect_no_fault();
}

TEST_F(SimIpc, AHandleOfAnEarlierRunOpensNothing) {
  CUipcMemHandle old{};
  run([&old] { old = export_memory(allocate(64)); });
  run([this, &old] {
    make_stream();  // From here on lives have other numbers.
    allocate(64);
    const AsImporter importer(stage.world);
    CUdeviceptr address = 0;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, old, kLazy), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_no_fault();
}

TEST_F(SimIpc, AMappingIsClosedOnlyByItsProcess) {
  run([this] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const CUdeviceptr mapped = import_by_importer(stage.world, handle);
    EXPECT_EQ(cuIpcCloseMemHandle(mapped), CUDA_ERROR_INVALID_VALUE);
    const AsImporter importer(stage.world);
    CUDA_OK(cuMemGetAddressRange_v2(nullptr, nullptr, mapped));
    CUDA_OK(cuIpcCloseMemHandle(mapped));
  });
  expect_fault("api_misuse");
}

TEST_F(SimIpc, AMappingIsClosedByItsStartAddress) {
  run([this] {
    const CUipcMemHandle handle = export_memory(allocate(1024));
    const AsImporter importer(stage.world);
    const CUdeviceptr mapped = import(handle);
    EXPECT_EQ(cuIpcCloseMemHandle(mapped + 512), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemGetAddressRange_v2(nullptr, nullptr, mapped));
    CUDA_OK(cuIpcCloseMemHandle(mapped));
  });
  expect_fault("api_misuse");
}

TEST_F(SimIpc, OnlyTheStartOfAnAllocationIsExported) {
  run([] {
    CUipcMemHandle handle{};
    EXPECT_EQ(cuIpcGetMemHandle(&handle, allocate(1024) + 512), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("api_misuse");
}

}  // namespace
}  // namespace harness::testing
