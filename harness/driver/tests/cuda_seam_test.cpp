// SPDX-License-Identifier: Apache-2.0
// The seam: the steps around each call, for any device; and independence of runs.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "harness/devices/tests/cuda_stage.h"
#include "harness/driver/cuda/cuda.h"

namespace harness::testing {
namespace {

class CudaSeam : public OnSim {
 protected:
  const Event* find_call(std::string_view name) {
    const auto& events = stage.world.history.events();
    const auto found = std::find_if(events.begin(), events.end(), [&](const Event& event) {
      return event.kind == EventKind::call && event.what.view() == name;
    });
    return found != events.end() ? &*found : nullptr;
  }
};

// ---- around a call ------------------------------------------------------------------------------

TEST_F(CudaSeam, ACallIsRecordedWithItsStatusBeforeItsConsequences) {
  stage.run([] {
    allocate(64);
    cuMemFree_v2(1);
  });
  const Event* alloc = find_call("cuMemAlloc");
  ASSERT_NE(alloc, nullptr);
  EXPECT_EQ(alloc->value, CUDA_SUCCESS);
  EXPECT_EQ(alloc[1].kind, EventKind::birth);
  const Event* free = find_call("cuMemFree");
  ASSERT_NE(free, nullptr);
  EXPECT_EQ(free->value, CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaSeam, ACallYieldsAndAQueryDoesNot) {
  Tick before = 0;
  Tick after_query = 0;
  Tick after_call = 0;
  Scheduler& scheduler = stage.world.scheduler;
  stage.run([&] {
    before = scheduler.now();
    CUcontext context = nullptr;
    cuCtxGetCurrent(&context);
    after_query = scheduler.now();
    cuStreamQuery(nullptr);
    after_call = scheduler.now();
  });
  EXPECT_EQ(after_query, before);
  EXPECT_EQ(after_call, before + 1);
}

TEST_F(CudaSeam, TwoTasksThatCallAreInterleaved) {
  World& world = stage.world;
  Alternate alternate;
  const auto call_thrice = [] {
    for (int i = 0; i < 3; ++i) cuCtxSynchronize();
  };
  stage.run(alternate, [&] {
    CUcontext context = nullptr;
    cuCtxGetCurrent(&context);
    world.scheduler.spawn("other", [call_thrice, context] {
      cuCtxSetCurrent(context);
      call_thrice();
    });
    call_thrice();
  });
  std::vector<int> order;
  for (const Event& event : world.history.events())
    if (event.kind == EventKind::call && event.what == Label("cuCtxSynchronize"))
      order.push_back(event.task);
  EXPECT_EQ(order.size(), 6U);
  EXPECT_NE(order, (std::vector<int>{0, 0, 0, 1, 1, 1}));
}

TEST_F(CudaSeam, ACallFailsOnlyIfAllowedAndChosen) {
  Always fail(Site::failure, 1);
  World& world = stage.world;
  stage.run(fail, [&world] {
    CUdeviceptr address = allocate(64);
    world.calls_may_fail = true;
    const std::size_t lives = world.ledger.lives().size();
    CUdeviceptr other = 0;
    EXPECT_EQ(cuMemAlloc_v2(&other, 64), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(world.ledger.lives().size(), lives);
    EXPECT_EQ(cuMemFree_v2(address),
              CUDA_SUCCESS);  // A failure that no caller can handle is never injected.
  });
  ASSERT_EQ(stage.tape.size(), 1U);
  EXPECT_EQ(stage.tape[0].site_tag, site_tag(Site::failure));
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaSeam, ARetryEventuallySucceeds) {
  Always fail(Site::failure, 1);
  World& world = stage.world;
  std::uint32_t failed = 0;
  stage.run(fail, [&] {
    world.calls_may_fail = true;
    CUdeviceptr address = 0;
    while (cuMemAlloc_v2(&address, 64) != CUDA_SUCCESS) ++failed;
    EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
  });
  EXPECT_EQ(failed, World::kFailureLimit);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaSeam, NoErrorIsInjectedByDefault) {
  Always fail(Site::failure, 1);
  stage.run(fail, [] { allocate(64); });
  EXPECT_TRUE(stage.tape.empty());
}

TEST_F(CudaSeam, ALifetimeIsAttributedToTheTargetsSite) {
  World& world = stage.world;
  stage.run([&world] {
    CUdeviceptr named = 0;
    {
      const SiteScope site(world.scheduler, "create_argpack");
      named = allocate(64);
    }
    cuMemFree_v2(named);
    cuMemFree_v2(named);
  });
  ASSERT_EQ(stage.faults.size(), 1U);
  EXPECT_EQ(stage.faults[0].birth_site.view(), "create_argpack");
  EXPECT_EQ(stage.faults[0].death_site.view(), "cuMemFree");
  EXPECT_EQ(stage.faults[0].use_site.view(), "cuMemFree");
}

TEST_F(CudaSeam, QueuedWorkEndsALifetimeAtTheSiteThatQueuedIt) {
  World& world = stage.world;
  Always late = lagging();
  stage.run(late, [&world] {
    CUdeviceptr address = allocate_async(64);
    {
      const SiteScope site(world.scheduler, "delete_argpack");
      cuMemFreeAsync(address, nullptr);
    }
    cuStreamSynchronize(nullptr);
    cuMemFree_v2(address);
  });
  ASSERT_EQ(stage.faults.size(), 1U);
  EXPECT_EQ(stage.faults[0].death_site.view(), "delete_argpack");
}

// ---- looking up entry points --------------------------------------------------------------------

struct Found {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
};

Found look_up(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  Found found;
  EXPECT_EQ(cuGetProcAddress_v2(name, &found.function, version, flags, &found.status),
            CUDA_SUCCESS);
  return found;
}

TEST_F(CudaSeam, AnEntryPointIsFoundByBaseNameAndVersion) {
  EXPECT_EQ(look_up("cuMemAlloc", 12000).function, reinterpret_cast<void*>(&cuMemAlloc_v2));
  EXPECT_EQ(look_up("cuMemAlloc", 3010).status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(look_up("cuMemAlloc", 3010).function, nullptr);
  EXPECT_EQ(look_up("cuNoSuchThing", 13000).status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(look_up("cuMemAlloc_v2", 13000).status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(look_up("cuGraphInstantiateWithFlags", 11040).function,
            reinterpret_cast<void*>(&cuGraphInstantiateWithFlags));
  EXPECT_EQ(look_up("cuGraphInstantiate", 12000).function,
            reinterpret_cast<void*>(&cuGraphInstantiateWithFlags));
  EXPECT_NE(look_up("cuGraphInstantiate", 11040).function, nullptr) << "an older one is meant";
  EXPECT_NE(look_up("cuGraphInstantiate", 11040).function,
            look_up("cuGraphInstantiate", 12000).function);
}

TEST_F(CudaSeam, EachRowHasANameAndAVersionOfTheHeader) {
  std::ifstream in(AFTERLIFE_CUDA_INCLUDE "/cudaTypedefs.h");
  const std::string header{std::istreambuf_iterator<char>(in), {}};
  const auto is_there = [&header](std::string_view name, int since) {
    return header.find(fmt::format("PFN_{}_v{}", name, since)) != std::string::npos;
  };
  const auto expect = [&](std::string_view name, std::string_view base, int since) {
    if (base.starts_with("cuProfiler")) return;  // In a header of their own.
    const bool has_own_name = name.find('_') == std::string_view::npos;
    EXPECT_TRUE(is_there(has_own_name ? name : base, since)) << name << " since " << since;
  };
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  expect(#name, base, since);
#include "harness/driver/cuda/cuda.def"
  const auto expect_alias = [&](std::string_view name, int since) {
    const std::string_view base = name.substr(0, name.find('_'));
    EXPECT_TRUE(is_there(base, since)) << name << " since " << since;
  };
#define CUDA_ALIAS(name, row, since, parameters, arguments) expect_alias(#name, since);
#include "harness/driver/cuda/aliases.def"
}

TEST_F(CudaSeam, TheVersionSelectsTheInterface) {
  EXPECT_NE(look_up("cuCtxSynchronize", 12000).function,
            look_up("cuCtxSynchronize", 13000).function);
  EXPECT_EQ(look_up("cuCtxSynchronize", 12000).function,
            reinterpret_cast<void*>(&cuCtxSynchronize));
  EXPECT_EQ(look_up("cuStreamGetCtx", 12000).function, reinterpret_cast<void*>(&cuStreamGetCtx));
  EXPECT_EQ(look_up("cuStreamGetCtx", 12050).function, reinterpret_cast<void*>(&cuStreamGetCtx_v2));
}

TEST_F(CudaSeam, AFlagSelectsThePerThreadDefaultStreamVersions) {
  constexpr auto kTwin = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  for (const char* name :
       {"cuLaunchKernel", "cuLaunchKernelEx", "cuMemcpyHtoD", "cuMemcpyHtoDAsync",
        "cuMemAllocAsync", "cuStreamSynchronize", "cuEventRecord", "cuMemsetD8"})
    EXPECT_NE(look_up(name, 13000, kTwin).function, look_up(name, 13000).function) << name;
  EXPECT_EQ(look_up("cuMemAlloc", 13000, kTwin).function, look_up("cuMemAlloc", 13000).function);
  EXPECT_EQ(look_up("cuStreamGetCtx", 12000, kTwin).status, CU_GET_PROC_ADDRESS_SUCCESS);
}

TEST_F(CudaSeam, PerThreadVersionsUseTheThreadsOwnStreamZero) {
  using StreamCall = CUresult (*)(CUstream);
  const Found twin = look_up("cuStreamQuery", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  const auto query = reinterpret_cast<StreamCall>(twin.function);
  Always late = lagging();
  stage.run(late, [query] {
    keep_busy(CU_STREAM_PER_THREAD, allocate(64));
    EXPECT_EQ(query(nullptr), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);  // Which waits for it.
  });
}

TEST_F(CudaSeam, ALookUpChecksItsArguments) {
  void* function = nullptr;
  EXPECT_EQ(cuGetProcAddress_v2(nullptr, &function, 13000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &function, 13000, 64, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &function, 99000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// ---- any program, on any strategy ---------------------------------------------------------------

/// A program made of dice: calls in any order, on handles and addresses dead or alive.
/// Ownership: it outlives its run, so that a fatal fault leaks nothing.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : state_(seed) {}

  void operator()() {
    streams_ = {nullptr, CU_STREAM_PER_THREAD, make_stream(), make_stream(CU_STREAM_DEFAULT)};
    events_ = {make_event(), make_event()};
    blocks_ = {allocate(64), allocate_async(700)};
    cuMemAllocHost_v2(&pinned_, 64);
    function_ = get_kernel(&afterlife_kernels_conformance, "add_one");
    for (int i = 0; i < 40; ++i) step();
    cuCtxSynchronize();
  }

 private:
  std::uint32_t roll(std::size_t sides) {
    state_ = mix(state_, 7);
    return static_cast<std::uint32_t>(state_ % sides);
  }
  CUstream stream() { return streams_[roll(streams_.size())]; }
  CUevent event() { return events_[roll(events_.size())]; }
  CUdeviceptr block() { return blocks_[roll(blocks_.size())]; }

  void step() {
    CUdeviceptr made = 0;
    switch (roll(16)) {
      case 0:
        if (cuMemAlloc_v2(&made, 1 + roll(2000)) == CUDA_SUCCESS) blocks_.push_back(made);
        break;
      case 1:
      case 2:
        if (cuMemAllocAsync(&made, 1 + roll(2000), stream()) == CUDA_SUCCESS)
          blocks_.push_back(made);
        break;
      case 3:
        cuMemFreeAsync(block(), stream());
        break;
      case 4:
        cuMemFree_v2(block());
        break;
      case 5:
        cuMemsetD8Async(block(), 1, 1 + roll(64), stream());
        break;
      case 6:
        cuMemcpyDtoDAsync_v2(block(), block(), 32, stream());
        break;
      case 7:
        cuMemcpyHtoDAsync_v2(block(), pinned_, 32, stream());
        break;
      case 8:
        launch();
        break;
      case 9:
        cuEventRecord(event(), stream());
        break;
      case 10:
        cuStreamWaitEvent(stream(), event(), 0);
        break;
      case 11:
        cuStreamSynchronize(stream());
        break;
      case 12:
        cuLaunchHostFunc(stream(), [](void*) {}, nullptr);
        break;
      case 13:
        if (roll(4) == 0) cuStreamDestroy_v2(stream());
        break;
      case 14:
        if (roll(4) == 0) cuEventDestroy_v2(event());
        break;
      case 15:
        cuMemcpyDtoHAsync_v2(pinned_, block(), 32, stream());
        break;
    }
  }
  void launch() {
    CUdeviceptr address = block();
    int count = static_cast<int>(roll(16));
    harness::testing::launch(function_, 1 + roll(3), 8, stream(), {&address, &count});
  }

  std::uint64_t state_;
  std::vector<CUstream> streams_;
  std::vector<CUevent> events_;
  std::vector<CUdeviceptr> blocks_;
  void* pinned_ = nullptr;
  CUfunction function_ = nullptr;
};

TEST_F(CudaSeam, AnyProgramRunsTheSameTwice) {
  CudaStage other{devices::sim.make()};
  int faulty = 0;
  int whole = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Dice dice(seed);
    RandomProgram program(seed);
    const Ending first = stage.run(dice, [&program] { program(); });
    const std::uint64_t hash = stage.world.history.trace_hash();
    Dice again(seed);
    RandomProgram the_same(seed);
    const Ending second = other.run(again, [&the_same] { the_same(); });
    ASSERT_EQ(first, second) << seed;
    ASSERT_EQ(hash, other.world.history.trace_hash()) << seed;
    if (seed % 3 == 0) other.run([] { allocate(4096); });  // A run in between must not matter.
    faulty += stage.faults.empty() ? 0 : 1;
    whole += first == Ending::finished ? 1 : 0;
  }
  EXPECT_GT(faulty, 100);
  EXPECT_GT(whole, 100);
}

TEST_F(CudaSeam, RunsOfTheSameProgramHaveTheSameAddresses) {
  CUdeviceptr first = 0;
  CUdeviceptr second = 0;
  stage.run([&first] { first = allocate(3 << 20); });
  stage.run([&second] {
    second = allocate(3 << 20);
    EXPECT_EQ(static_cast<unsigned>(read_int(second)), 0xa5a5a5a5U);
    EXPECT_EQ(read_int(second + (2 << 20)), 0);  // Beyond what is filled: nothing of the last run.
    write_int(second + (2 << 20), 1);
  });
  EXPECT_EQ(first, second);
  stage.run([] { EXPECT_EQ(read_int(allocate(3 << 20) + (2 << 20)), 0); });
}

}  // namespace
}  // namespace harness::testing
