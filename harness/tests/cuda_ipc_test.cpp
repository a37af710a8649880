// The conformance suite of devices/: inter-process communication. What needs two processes runs on
// the simulated driver, whose tasks belong to processes; a device that has one process refuses to
// open what it exported itself.
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "harness/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaIpc : public OnEveryDevice {};

constexpr unsigned kLazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
constexpr unsigned kShared = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;

CUipcMemHandle export_memory(CUdeviceptr address) {
  CUipcMemHandle handle{};
  EXPECT_EQ(cuIpcGetMemHandle(&handle, address), CUDA_SUCCESS);
  return handle;
}

bool same(const CUipcMemHandle& left, const CUipcMemHandle& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

// ---- within one process -----------------------------------------------------------------------

TEST_P(CudaIpc, MemoryHasOneHandleHoweverOftenItIsExported) {
  run([] {
    const CUdeviceptr first = allocate(64);
    const CUdeviceptr second = allocate(64);
    EXPECT_TRUE(same(export_memory(first), export_memory(first)));
    EXPECT_FALSE(same(export_memory(first), export_memory(second)));
  });
  expect_no_fault();
}

TEST_P(CudaIpc, WhatAProcessExportedItCannotOpen) {
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

TEST_P(CudaIpc, OnlyWhatCuMemAllocGaveOutCanBeExported) {
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

TEST_P(CudaIpc, FreedMemoryExportedIsAFault) {
  run([] {
    const CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemFree_v2(address));
    CUipcMemHandle handle{};
    EXPECT_EQ(cuIpcGetMemHandle(&handle, address), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_death");
}

TEST_P(CudaIpc, WhatIsNoMappingIsNotClosed) {
  run([] { EXPECT_NE(cuIpcCloseMemHandle(allocate(64)), CUDA_SUCCESS); });
  expect_fault("api_misuse");
}

TEST_P(CudaIpc, NoAttributesAreInvalid) {
  run([] {
    EXPECT_EQ(cuPointerGetAttributes(0, nullptr, nullptr, allocate(64)), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaIpc, AttributesOfWhatTheDriverDoesNotKnowAreNull) {
  run([] {
    unsigned type = 7;
    CUdeviceptr start = 7;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
    void* found[] = {&type, &start};
    int mine = 0;
    CUDA_OK(cuPointerGetAttributes(2, wanted, found, reinterpret_cast<CUdeviceptr>(&mine)));
    EXPECT_EQ(type, 0u);
    EXPECT_EQ(start, 0u);
    const CUdeviceptr address = allocate(64);
    CUDA_OK(cuPointerGetAttributes(2, wanted, found, address + 8));
    EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
    EXPECT_EQ(start, address);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaIpc);

// ---- between processes ------------------------------------------------------------------------

constexpr ProcessId kImporter{1};

/// Makes what is called belong to the other process, with a context of its own.
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

CUdeviceptr import(const CUipcMemHandle& handle) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, handle, kLazy), CUDA_SUCCESS);
  return address;
}

CUipcEventHandle export_event(CUevent event) {
  CUipcEventHandle handle{};
  EXPECT_EQ(cuIpcGetEventHandle(&handle, event), CUDA_SUCCESS);
  return handle;
}

class CudaIpcPeers : public OnEveryDevice {};

TEST_P(CudaIpcPeers, AMappingIsTheSameMemory) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    write_int(memory, 1);
    const CUipcMemHandle handle = export_memory(memory);
    CUdeviceptr mapped = 0;
    {
      const AsImporter importer(stage->world);
      mapped = import(handle);
      EXPECT_EQ(read_int(mapped), 1);
      write_int(mapped + 4, 2);
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

TEST_P(CudaIpcPeers, APeersOwnAddressIsNotMine) {
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
    const CUipcMemHandle handle = export_memory(allocate(64));
    const AsImporter importer(stage->world);
    const CUdeviceptr mapped = import(handle);
    EXPECT_EQ(import(handle), mapped);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
    EXPECT_NE(read_int(mapped), 0);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
    EXPECT_EQ(cuIpcCloseMemHandle(mapped), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaIpcPeers, AMappingUsedAfterItsCloseIsAFaultOfItsOwnLife) {
  run([this] {
    const CUipcMemHandle handle = export_memory(allocate(64));
    const AsImporter importer(stage->world);
    const CUdeviceptr mapped = import(handle);
    CUDA_OK(cuIpcCloseMemHandle(mapped));
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, mapped, sizeof value), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_death");
  EXPECT_EQ(stage->faults[0].object_kind, Label("IPC mapping"));
}

TEST_P(CudaIpcPeers, AMappingOpenedAgainIsAnotherLifeAtTheSameAddress) {
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

TEST_P(CudaIpcPeers, MemoryFreedWhileItIsMappedIsAFaultAndSoIsItsUse) {
  run([this] {
    const CUdeviceptr memory = allocate(64);
    const CUipcMemHandle handle = export_memory(memory);
    CUdeviceptr mapped = 0;
    {
      const AsImporter importer(stage->world);
      mapped = import(handle);
    }
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
  EXPECT_EQ(stage->faults[1].kind, FaultKind::use_after_death);
  EXPECT_EQ(stage->faults[1].object_kind, Label("device memory"));
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

TEST_P(CudaIpcPeers, WhatIsNoHandleIsInvalid) {
  run([this] {
    const AsImporter importer(stage->world);
    CUdeviceptr address = 0;
    CUevent event = nullptr;
    EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, {}, kLazy), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuIpcOpenEventHandle(&event, {}), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_no_fault();
}

/// What two opens in a row return, with the failure of the first picked.
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

TEST_P(CudaIpcPeers, AnOpenMayBeToldToFailOnceOrTwice) {
  using Seen = std::pair<CUresult, CUresult>;
  EXPECT_EQ(open_twice(*stage, 0), (Seen{CUDA_SUCCESS, CUDA_SUCCESS}));
  EXPECT_EQ(open_twice(*stage, 1), (Seen{CUDA_ERROR_ALREADY_MAPPED, CUDA_SUCCESS}));
  EXPECT_EQ(open_twice(*stage, 2), (Seen{CUDA_ERROR_ALREADY_MAPPED, CUDA_ERROR_ALREADY_MAPPED}));
  EXPECT_EQ(open_twice(*stage, 3), (Seen{CUDA_ERROR_MAP_FAILED, CUDA_SUCCESS}));
  EXPECT_EQ(open_twice(*stage, 4), (Seen{CUDA_ERROR_ALREADY_MAPPED, CUDA_ERROR_MAP_FAILED}));
}

TEST_P(CudaIpcPeers, AnOpenedEventUsedAfterTheExportedOneEndedIsAFault) {
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
  expect_fault("use_after_death");
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
  run([this] {
    const CUdeviceptr memory = allocate(64);
    CUevent event = make_event(kShared);
    const CUipcEventHandle handle = export_event(event);
    CUstream stream = make_stream();
    CUDA_OK(cuMemsetD32Async(memory, 5, 1, stream));
    CUDA_OK(cuEventRecord(event, stream));
    const CUipcMemHandle memory_handle = export_memory(memory);
    const AsImporter importer(stage->world);
    CUevent opened = nullptr;
    CUDA_OK(cuIpcOpenEventHandle(&opened, handle));
    CUstream mine = make_stream();
    CUDA_OK(cuStreamWaitEvent(mine, opened, 0));
    int value = 0;
    CUDA_OK(cuMemcpyDtoHAsync_v2(&value, import(memory_handle), sizeof value, mine));
    CUDA_OK(cuStreamSynchronize(mine));
    EXPECT_EQ(value, 5);
    EXPECT_EQ(cuEventQuery(opened), CUDA_SUCCESS);
    CUDA_OK(cuEventSynchronize(opened));
    CUDA_OK(cuEventDestroy_v2(opened));
    EXPECT_EQ(cuEventDestroy_v2(opened), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaIpcPeers);

// ---- what only the simulated driver can be made to do, or to see
// ---------------------------------

class SimIpc : public OnSim {
 protected:
  template <class Body>
  void run(Body body) {
    EXPECT_EQ(stage.run(body), Ending::finished) << stage.fault();
  }
  void expect_no_fault() const { EXPECT_TRUE(stage.faults.empty()) << stage.fault(); }
  void expect_fault(std::string_view kind) const { EXPECT_EQ(stage.fault(), kind); }
};

TEST_F(SimIpc, WhatWasThereBeforeTheFirstMappingStays) {
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

TEST_F(SimIpc, APeersHandleMeansNothing) {
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
  expect_fault("use_after_death");
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
            "use_after_death device memory born:cuMemAlloc died:cuMemFree used:add_one");
  EXPECT_NE(stage.faults[1].detail.find("at offset 0"), std::string::npos)
      << stage.faults[1].detail;
}

TEST_F(SimIpc, MemoryAllocatedAtTheSameAddressHasAHandleOfItsOwn) {
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

TEST_F(SimIpc, AMappingOfWhatWasThereBeforeIsAlreadyMappedUntilItIsClosed) {
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

TEST_F(SimIpc, AKernelThroughAMappingOfReplacedMemoryMeetsWhoLivesThereNow) {
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

TEST_F(SimIpc, AnEventOpenedElsewhereIsTheSameEvent) {
  Always lag = lagging();
  stage.run(lag, [this] {
    const CUdeviceptr memory = allocate(64);
    CUevent event = make_event(kShared);
    const CUipcEventHandle handle = export_event(event);
    CUstream stream = make_stream();
    CUDA_OK(cuMemsetD32Async(memory, 5, 1, stream));
    CUDA_OK(cuEventRecord(event, stream));
    const CUipcMemHandle memory_handle = export_memory(memory);
    const AsImporter importer(stage.world);
    CUevent opened = nullptr;
    CUDA_OK(cuIpcOpenEventHandle(&opened, handle));
    EXPECT_EQ(cuEventQuery(opened), CUDA_ERROR_NOT_READY);
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
  });
  expect_no_fault();
}

TEST_F(SimIpc, EachProcessHasAddressesOfItsOwn) {
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

TEST_F(SimIpc, HalfOfOneHandleAndHalfOfAnotherIsNone) {
  run([this] {
    const CUipcMemHandle one = export_memory(allocate(64));
    const CUipcMemHandle other = export_memory(allocate(64));
    const AsImporter importer(stage.world);
    for (std::size_t bytes = 8; bytes < sizeof one; bytes += 8) {
      CUipcMemHandle torn = one;
      std::memcpy(&torn, &other, bytes);
      CUdeviceptr address = 0;
      EXPECT_EQ(cuIpcOpenMemHandle_v2(&address, torn, kLazy), CUDA_ERROR_INVALID_HANDLE);
    }
  });
  expect_no_fault();
}

TEST_F(SimIpc, OneProcessTooManyCannotImport) {
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

TEST_F(SimIpc, OnlyTheStartOfAnAllocationIsExported) {
  run([] {
    CUipcMemHandle handle{};
    EXPECT_EQ(cuIpcGetMemHandle(&handle, allocate(1024) + 512), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("api_misuse");
}

}  // namespace
}  // namespace harness::testing
