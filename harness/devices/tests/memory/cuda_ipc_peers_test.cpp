// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: objects shared by two processes. It runs on the simulated
// driver, whose tasks belong to processes.
#include <array>
#include <utility>

#include "harness/core/fault/kinds.h"
#include "harness/devices/tests/memory/ipc_stage.h"

namespace harness::testing {
namespace {

class CudaIpcPeers : public OnEveryDevice {};

TEST_P(CudaIpcPeers, AMappingIsTheSameMemory) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    write_int(memory, 1);
    CUDA_OK(cuCtxSynchronize());
    const CUipcMemHandle handle = export_memory(memory);
    CUdeviceptr mapped = 0;
    {
      const AsImporter importer(stage->world);
      mapped = import(handle);
      EXPECT_EQ(read_int(mapped), 1);
      write_int(mapped + 4, 2);
      CUDA_OK(
          cuCtxSynchronize());  // The copy may be late, and the other process does not wait for it.
      CUdeviceptr base = 0;
      std::size_t bytes = 0;
      CUDA_OK(cuMemGetAddressRange_v2(&base, &bytes, mapped + 8));
      EXPECT_EQ(base, mapped);
      EXPECT_EQ(bytes, 64u);
    }
    EXPECT_EQ(read_int(memory + 4), 2);
    const ProcessScope third(stage->world.scheduler, ProcessId{2});
    CUcontext context = nullptr;
    CUDA_OK(cuInit(0));
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuCtxPushCurrent_v2(context));
    const CUdeviceptr other = import(handle);
    EXPECT_EQ(read_int(other + 4), 2);
  });
  expect_no_fault();
}

TEST_P(CudaIpcPeers, AKernelReadsAndWritesThroughAMapping) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    write_int(memory, 41);
    CUDA_OK(cuCtxSynchronize());
    const CUipcMemHandle handle = export_memory(memory);
    {
      const AsImporter importer(stage->world);
      CUdeviceptr mapped = import(handle);
      int count = 1;
      CUDA_OK(launch(get_kernel(image(), "add_one"), 1, 1, nullptr, {&mapped, &count}));
      CUDA_OK(cuCtxSynchronize());
    }
    EXPECT_EQ(read_int(memory), 42);
  });
  expect_no_fault();
}

TEST_P(CudaIpcPeers, AnAddressOfAPeerIsInvalid) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    const AsImporter importer(stage->world);
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, memory, sizeof value), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("api_misuse");
}

TEST_P(CudaIpcPeers, OpensAreCounted) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    write_int(memory, 42);
    CUDA_OK(cuCtxSynchronize());
    const CUipcMemHandle handle = export_memory(memory);
    const AsImporter importer(stage->world);
    const CUdeviceptr mapped = import(handle);
    EXPECT_EQ(import(handle), mapped);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
    EXPECT_EQ(read_int(mapped), 42);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
    EXPECT_EQ(cuIpcCloseMemHandle(mapped), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaIpcPeers, UsingAClosedMappingIsAUseAfterFreeOfTheMapping) {
  run([this] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const AsImporter importer(stage->world);
    const CUdeviceptr mapped = import(handle);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, mapped, sizeof value), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
  EXPECT_EQ(stage->faults[0].object_kind, Label("IPC mapping"));
}

TEST_P(CudaIpcPeers, AReopenedMappingIsANewLifetimeAtTheSameAddress) {
  BirthId births[2] = {};
  run([&] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const AsImporter importer(stage->world);
    CUdeviceptr addresses[2] = {};
    for (int i = 0; i < 2; ++i) {
      addresses[i] = import(handle);
      births[i] = static_cast<BirthId>(stage->world.ledger.lives().size() - 1);
      if (i == 0) CUDA_OK(cuIpcCloseMemHandle(addresses[i]));
    }
    EXPECT_EQ(addresses[0], addresses[1]);
    EXPECT_EQ(stage->world.ledger.life(births[1]).recycled_from, births[0]);
  });
  expect_no_fault();
}

TEST_P(CudaIpcPeers, FreeingMappedMemoryIsAFaultAndSoIsItsUse) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    const CUipcMemHandle handle = export_memory(memory);
    const CUdeviceptr mapped = import_by_importer(stage->world, handle);
    CUDA_OK(cuMemFree_v2(memory));
    EXPECT_EQ(stage->world.history.faults().size(), 1u);
    const AsImporter importer(stage->world);
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, mapped, sizeof value), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
  });
  ASSERT_EQ(stage->faults.size(), 2u);
  EXPECT_EQ(stage->faults[0].signature(),
            "api_misuse exported memory born:cuMemAlloc used:cuMemFree");
  EXPECT_EQ(stage->faults[1].kind, FaultKind::use_after_free);
  EXPECT_EQ(stage->faults[1].object_kind, Label("device memory"));
}

// A GPU gives the same address out again, and for it the same handle; the simulated driver's
// handles name lives.
TEST_P(CudaIpcPeers, AMappingHasTheMemoryOfItsHandle) {
  bool is_same = false;
  run([&] {
    const CUdeviceptr memory = allocate(64);
    const CUipcMemHandle handle = export_memory(memory);
    const CUdeviceptr mapped = import_by_importer(stage->world, handle);
    CUDA_OK(cuMemFree_v2(memory));
    const CUdeviceptr next = allocate(64);
    write_int(next, 7);
    is_same = same(export_memory(next), handle);
    const AsImporter importer(stage->world);
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, mapped, sizeof value),
              is_same ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    if (is_same) EXPECT_EQ(value, 7);
  });
  EXPECT_EQ(stage->faults.size(), is_same ? 1U : 2U);  // Freed while it is mapped.
}

TEST_P(CudaIpcPeers, AMappingIsClosedAndNotFreed) {
  run([this] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const AsImporter importer(stage->world);
    const CUdeviceptr mapped = import(handle);
    EXPECT_EQ(cuMemFree_v2(mapped), CUDA_ERROR_INVALID_VALUE);
    CUipcMemHandle again{};
    EXPECT_EQ(cuIpcGetMemHandle(&again, mapped), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
  });
  expect_fault("api_misuse");
}

TEST_P(CudaIpcPeers, AnInvalidHandleIsRefused) {
  run([this] {
    const AsImporter importer(stage->world);
    CUdeviceptr address = 0;
    CUevent event = nullptr;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, {}, kLazy), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuIpcOpenEventHandle(&event, {}), CUDA_ERROR_MAP_FAILED);
  });
  expect_no_fault();
}

/// Returns the answers of two opens in a row, with the failure of the first picked.
std::pair<CUresult, CUresult> open_twice(CudaStage& stage, std::uint32_t failure) {
  std::pair<CUresult, CUresult> seen;
  Always failing(Site::failure, failure);
  stage.run(failing, [&] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const ProcessScope scope(stage.world.scheduler, ProcessId{1});
    CUcontext context = nullptr;
    CUDA_OK(cuInit(0));
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuCtxPushCurrent_v2(context));
    stage.world.calls_may_fail = true;
    CUdeviceptr address = 0;
    seen.first = cuIpcOpenMemHandle_v2(&address, handle, kLazy);
    stage.world.calls_may_fail = false;
    seen.second = cuIpcOpenMemHandle_v2(&address, handle, kLazy);
  });
  return seen;
}

TEST_P(CudaIpcPeers, AnErrorCanBeInjectedIntoOneOrTwoOpens) {
  using Seen = std::pair<CUresult, CUresult>;
  EXPECT_EQ(open_twice(*stage, 0), (Seen{CUDA_SUCCESS, CUDA_SUCCESS}));
  EXPECT_EQ(open_twice(*stage, 1), (Seen{CUDA_ERROR_ALREADY_MAPPED, CUDA_SUCCESS}));
  EXPECT_EQ(open_twice(*stage, 2), (Seen{CUDA_ERROR_ALREADY_MAPPED, CUDA_ERROR_ALREADY_MAPPED}));
  EXPECT_EQ(open_twice(*stage, 3), (Seen{CUDA_ERROR_MAP_FAILED, CUDA_SUCCESS}));
  EXPECT_EQ(open_twice(*stage, 4), (Seen{CUDA_ERROR_ALREADY_MAPPED, CUDA_ERROR_MAP_FAILED}));
}

TEST_P(CudaIpcPeers, UsingAnOpenedEventAfterItsOriginalEndedIsAFault) {
  run([this] {
    CUevent event = make_event(kShared);
    const CUipcEventHandle handle = export_event(event);
    CUevent opened = nullptr;
    {
      const AsImporter importer(stage->world);
      CUDA_OK(cuIpcOpenEventHandle(&opened, handle));
    }
    CUDA_OK(cuEventDestroy_v2(event));
    const AsImporter importer(stage->world);
    EXPECT_EQ(cuEventQuery(opened), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuIpcOpenEventHandle(&opened, handle), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaIpcPeers, AnOpenedEventIsNotExportedAgain) {
  run([this] {
    const CUipcEventHandle handle = export_event(make_event(kShared));
    const AsImporter importer(stage->world);
    CUevent opened = nullptr;
    CUDA_OK(cuIpcOpenEventHandle(&opened, handle));
    CUipcEventHandle again{};
    EXPECT_EQ(cuIpcGetEventHandle(&again, opened), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_no_fault();
}

TEST_P(CudaIpcPeers, EightRanksExchangeThroughEachOthersMappings) {
  constexpr std::uint16_t kRanks = 8;
  const World::Guard guard(stage->world);
  Dice dice(7);
  std::array<CUipcMemHandle, kRanks> handles{};
  int right = 0;
  stage->run(dice, [&] {
    Barrier& ready = *stage->world.arena.make<Barrier>(stage->world.scheduler, kRanks);
    Latch& done = *stage->world.arena.make<Latch>(stage->world.scheduler, kRanks);
    for (std::uint16_t rank = 0; rank < kRanks; ++rank) {
      const ProcessScope scope(stage->world.scheduler, ProcessId{rank});
      stage->world.scheduler.spawn("rank", [&, rank] {
        CUcontext context = nullptr;
        CUDA_OK(cuInit(0));
        CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
        CUDA_OK(cuCtxSetCurrent(context));
        const CUdeviceptr mine = allocate(64);
        write_int(mine, 100 + rank);
        handles[rank] = export_memory(mine);
        ready.arrive_and_wait();
        for (std::uint16_t peer = 0; peer < kRanks; ++peer) {
          if (peer == rank) continue;
          const CUdeviceptr mapped = import(handles[peer]);
          right += read_int(mapped) == 100 + peer;
          CUDA_OK(cuIpcCloseMemHandle(mapped));
        }
        ready.arrive_and_wait();
        CUDA_OK(cuMemFree_v2(mine));
        done.count_down();
      });
    }
    done.wait();
  });
  EXPECT_EQ(right, kRanks * (kRanks - 1));
  expect_no_fault();
}

TEST_P(CudaIpcPeers, AnOpenedEventIsTheSameEvent) {
  run([this] { share_an_event(stage->world, false); });
  expect_no_fault();
}

TEST_P(CudaIpcPeers, AnOpenedEventDestroyedTwiceIsAFault) {
  run([this] {
    const CUipcEventHandle handle = export_event(make_event(kShared));
    const AsImporter importer(stage->world);
    CUevent opened = nullptr;
    CUDA_OK(cuIpcOpenEventHandle(&opened, handle));
    CUDA_OK(cuEventDestroy_v2(opened));
    EXPECT_EQ(cuEventDestroy_v2(opened), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaIpcPeers);

}  // namespace
}  // namespace harness::testing
