// SPDX-License-Identifier: Apache-2.0
// A wait of one task is ordered with a use by another task only if the two tasks are ordered. On
// the simulated driver.
#include <array>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

// More often than HostKnowledge keeps what no one knows any more.
constexpr int kVeryOften = 3000;

class HostKnowledge : public UnderStrategy {
 protected:
  /// One task waits for a stream that uses memory, and tells another by `tell`; that one, after
  /// `hear`, frees the memory in its own stream.
  template <class Tell, class Hear>
  void run_two(Tell tell, Hear hear) {
    stage.judge_order();
    run(lagging(), [this, tell, hear] {
      Means means(stage.world.scheduler);
      CUstream stream = make_stream();
      CUstream other = make_stream();
      CUdeviceptr address = allocate_async(64, stream);
      CUDA_OK(cuStreamSynchronize(stream));
      CUcontext context = nullptr;
      CUDA_OK(cuCtxGetCurrent(&context));
      Latch begun(stage.world.scheduler, 1);
      Latch over(stage.world.scheduler, 1);
      stage.world.scheduler.spawn("second", [&] {
        begun.count_down();
        hear(means);
        CUDA_OK(cuCtxSetCurrent(context));
        CUDA_OK(cuMemFreeAsync(address, other));
        CUDA_OK(cuStreamSynchronize(other));
        over.count_down();
      });
      begun.wait();
      keep_busy(stream, address);
      CUDA_OK(cuStreamSynchronize(stream));
      tell(means);
      over.wait();
    });
    EXPECT_EQ(ending, Ending::finished);
  }

  struct Means {
    explicit Means(Scheduler& scheduler)
        : scheduler(scheduler),
          mutex(scheduler),
          latch(scheduler, 1),
          flag(scheduler),
          condition(scheduler) {}
    Scheduler& scheduler;
    Mutex mutex;
    Latch latch;
    Atomic<int> flag;
    Condition condition;
    bool known = false;  ///< Without its own order.
    CUdeviceptr address = 0;
  };
  /// One task uses memory, waits for the use, and releases a lock, `times` times. `last`: also
  /// after the last use. A second task then takes the lock and frees the memory.
  void learn(int times, bool last) {
    stage.judge_order();
    run(lagging(), [this, times, last] {
      Means means(stage.world.scheduler);
      CUcontext context = nullptr;
      CUDA_OK(cuCtxGetCurrent(&context));
      CUstream stream = make_stream();
      CUstream other = make_stream();
      CUdeviceptr address = allocate_async(64, stream);
      CUDA_OK(cuStreamSynchronize(stream));
      Latch begun(stage.world.scheduler, 1);
      Latch over(stage.world.scheduler, 1);
      stage.world.scheduler.spawn("second", [&] {
        CUDA_OK(cuCtxSetCurrent(context));
        begun.count_down();
        wait_by_luck(means);
        means.mutex.lock();
        means.mutex.unlock();
        CUDA_OK(cuMemFreeAsync(address, other));
        CUDA_OK(cuStreamSynchronize(other));
        over.count_down();
      });
      begun.wait();
      for (int time = 1; time <= times; ++time) {
        keep_busy(stream, address);
        CUDA_OK(cuStreamSynchronize(stream));
        if (time == times && !last) continue;
        means.mutex.lock();
        means.mutex.unlock();
      }
      end_luck(means);
      over.wait();
    });
  }

  /// One task releases its knowledge at a flag, before or after the memory's last use. Then it
  /// waits for other work and releases a lock, very often. A second task acquires the flag and
  /// frees the memory.
  void leave_early(bool after_use) {
    stage.judge_order();
    run(lagging(), [this, after_use] {
      Means means(stage.world.scheduler);
      CUcontext context = nullptr;
      CUDA_OK(cuCtxGetCurrent(&context));
      CUstream stream = make_stream();
      CUstream busy = make_stream();
      CUstream other = make_stream();
      Latch over(stage.world.scheduler, 1);
      stage.world.scheduler.spawn("second", [&] {
        CUDA_OK(cuCtxSetCurrent(context));
        wait_by_luck(means);
        means.flag.load();
        CUDA_OK(cuMemFreeAsync(means.address, other));
        CUDA_OK(cuStreamSynchronize(other));
        over.count_down();
      });
      means.address = allocate_async(64, stream);
      CUdeviceptr elsewhere = allocate_async(64, busy);
      CUDA_OK(cuStreamSynchronize(stream));
      if (!after_use) means.flag.store(1);
      keep_busy(stream, means.address);
      CUDA_OK(cuStreamSynchronize(stream));
      if (after_use) means.flag.store(1);
      for (int time = 0; time < kVeryOften; ++time) {
        keep_busy(busy, elsewhere);
        CUDA_OK(cuStreamSynchronize(busy));
        means.mutex.lock();
        means.mutex.unlock();
      }
      end_luck(means);
      over.wait();
    });
  }

  /// Waits by luck: nothing that orders tasks is seen.
  static void wait_by_luck(Means& means) {
    means.scheduler.wait_until({7, AccessKind::read}, "luck", [&] { return means.known; });
  }
  static void end_luck(Means& means) {
    means.known = true;
    means.scheduler.touch(7);
  }
};

TEST_F(HostKnowledge, AWaitOrdersWorkForItsTaskOnly) {
  run_two(end_luck, wait_by_luck);
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(HostKnowledge, ALatchPassesOrderOn) {
  run_two([](Means& means) { means.latch.count_down(); }, [](Means& means) { means.latch.wait(); });
  expect_finished();
}

TEST_F(HostKnowledge, ALockPassesOrderOn) {
  run_two(
      [](Means& means) {
        means.mutex.lock();
        means.mutex.unlock();
        end_luck(means);
      },
      [](Means& means) {
        wait_by_luck(means);
        const LockGuard guard(means.mutex);
      });
  expect_finished();
}

TEST_F(HostKnowledge, AnEarlierUnlockDoesNotPassOrderOn) {
  run_two([](Means& means) { end_luck(means); },
          [](Means& means) {
            {
              const LockGuard guard(means.mutex);
            }
            wait_by_luck(means);
          });
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(HostKnowledge, AnAtomicReadPassesOrderOn) {
  run_two(
      [](Means& means) { means.flag.store(1); },
      [](Means& means) { means.flag.wait_until("flag", [](int value) { return value == 1; }); });
  expect_finished();
}

TEST_F(HostKnowledge, AConditionVariablePassesOrderOn) {
  run_two(
      [](Means& means) {
        const LockGuard guard(means.mutex);
        means.known = true;
        means.condition.notify_all();
      },
      [](Means& means) {
        const LockGuard guard(means.mutex);
        while (!means.known) means.condition.wait(means.mutex);
      });
  expect_finished();
}

TEST_F(HostKnowledge, SpawningATaskPassesOrderOn) {
  stage.judge_order();
  run(lagging(), [this] {
    CUstream stream = make_stream();
    CUstream other = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    keep_busy(stream, address);
    CUDA_OK(cuStreamSynchronize(stream));
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    Latch over(stage.world.scheduler, 1);
    stage.world.scheduler.spawn("second", [&] {
      CUDA_OK(cuCtxSetCurrent(context));
      CUDA_OK(cuMemFreeAsync(address, other));
      CUDA_OK(cuStreamSynchronize(other));
      over.count_down();
    });
    over.wait();
  });
  expect_finished();
}

TEST_F(HostKnowledge, SeveralReleasesAtOneObjectArePassedOnTogether) {
  stage.judge_order();
  run(lagging(), [this] {
    Scheduler& scheduler = stage.world.scheduler;
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    Latch over(scheduler, 2);
    std::array<CUdeviceptr, 3> addresses{};
    std::array<CUstream, 3> streams{};
    for (std::size_t i = 0; i < streams.size(); ++i) {
      streams[i] = make_stream();
      addresses[i] = allocate_async(64, streams[i]);
      CUDA_OK(cuStreamSynchronize(streams[i]));
      keep_busy(streams[i], addresses[i]);
    }
    for (std::size_t i = 0; i < 2; ++i)
      scheduler.spawn("waits", [&over, context, stream = streams[i]] {
        CUDA_OK(cuCtxSetCurrent(context));
        CUDA_OK(cuStreamSynchronize(stream));
        over.count_down();
      });
    CUDA_OK(cuStreamSynchronize(streams[2]));
    over.wait();  // None of the three knew what another did.
    CUstream other = make_stream();
    for (const CUdeviceptr address : addresses) CUDA_OK(cuMemFreeAsync(address, other));
    CUDA_OK(cuStreamSynchronize(other));
  });
  expect_finished();
}

TEST_F(HostKnowledge, EachOfSeveralTasksAcquiresTheOthersReleases) {
  stage.judge_order();
  run(lagging(), [this] {
    Scheduler& scheduler = stage.world.scheduler;
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    Latch all(scheduler, 2);
    Latch over(scheduler, 2);
    std::array<CUdeviceptr, 2> addresses{};
    std::array<CUstream, 2> streams{};
    for (std::size_t i = 0; i < 2; ++i) {
      streams[i] = make_stream();
      addresses[i] = allocate_async(64, streams[i]);
      CUDA_OK(cuStreamSynchronize(streams[i]));
      keep_busy(streams[i], addresses[i]);
    }
    for (std::size_t i = 0; i < 2; ++i)
      scheduler.spawn("waits", [&, i] {
        CUDA_OK(cuCtxSetCurrent(context));
        CUDA_OK(cuStreamSynchronize(streams[i]));
        all.count_down();
        all.wait();
        CUDA_OK(cuMemFreeAsync(addresses[1 - i], streams[i]));
        over.count_down();
      });
    over.wait();
  });
  expect_finished();
}

TEST_F(HostKnowledge, AWaitAfterAReleaseIsPassedOnByTheNextRelease) {
  learn(2, true);
  expect_finished();
}

TEST_F(HostKnowledge, AWaitAfterTheLastReleaseIsNotPassedOn) {
  learn(2, false);
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(HostKnowledge, VeryManyWaitsArePassedOn) {
  learn(kVeryOften, true);
  expect_finished();
}

TEST_F(HostKnowledge, TheLastOfVeryManyWaitsIsNotPassedOn) {
  learn(kVeryOften, false);
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(HostKnowledge, AReleaseIsKeptThroughVeryManyWaits) {
  leave_early(true);
  expect_finished();
}

TEST_F(HostKnowledge, AReleaseDoesNotGainFromLaterWaits) {
  leave_early(false);
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(HostKnowledge, AWaitAfterASpawnIsNotPassedOn) {
  stage.judge_order();
  run(lagging(), [this] {
    Means means(stage.world.scheduler);
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    CUstream stream = make_stream();
    CUstream other = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUDA_OK(cuStreamSynchronize(stream));
    Latch over(stage.world.scheduler, 1);
    stage.world.scheduler.spawn("second", [&] {
      CUDA_OK(cuCtxSetCurrent(context));
      wait_by_luck(means);
      CUDA_OK(cuMemFreeAsync(address, other));
      CUDA_OK(cuStreamSynchronize(other));
      over.count_down();
    });
    keep_busy(stream, address);
    CUDA_OK(cuStreamSynchronize(stream));
    end_luck(means);
    over.wait();
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "data_race");
}

/// Counts; nothing that orders tasks is seen.
void count_call(void* data) {
  ++*static_cast<int*>(data);
  World::current()->scheduler.touch(7);
}
void wait_for(Scheduler& scheduler, const int& called, int count) {
  scheduler.wait_until({7, AccessKind::read}, "luck", [&] { return called == count; });
}

TEST_F(HostKnowledge, HostFunctionsDoNotOrderEachOther) {
  stage.judge_order();
  // Both run on the driver's thread; the task hears of the second only, which is called last.
  run(lagging(), [this] {
    int called = 0;
    CUstream stream = make_stream();
    CUstream other = make_stream();
    CUstream third = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUDA_OK(cuStreamSynchronize(stream));
    keep_busy(stream, address);
    CUDA_OK(cuLaunchHostFunc(stream, count_call, &called));
    wait_for(stage.world.scheduler, called, 1);
    CUDA_OK(cuLaunchHostFunc(
        other,
        [](void* data) {
          edge_release(data);
          count_call(data);
        },
        &called));
    wait_for(stage.world.scheduler, called, 2);
    edge_acquire(&called);
    CUDA_OK(cuMemFreeAsync(address, third));
    CUDA_OK(cuStreamSynchronize(third));
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "data_race");
}

/// Data of pass(), which takes and releases the lock. Its second call signals the latch.
struct Passage {
  Mutex& mutex;
  Latch& latch;
  int called = 0;
};
void pass(void* data) {
  Passage& passage = *static_cast<Passage*>(data);
  {
    const LockGuard guard(passage.mutex);
  }
  if (passage.called == 1) passage.latch.count_down();
  count_call(&passage.called);
}

TEST_F(HostKnowledge, EachHostFunctionAcquiresOrderAnew) {
  stage.judge_order();
  run(lagging(), [this] {
    Scheduler& scheduler = stage.world.scheduler;
    Mutex mutex(scheduler);
    Latch signaled(scheduler, 1);
    Passage passage{mutex, signaled};
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    CUstream stream = make_stream();
    CUstream other = make_stream();
    CUstream third = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUDA_OK(cuStreamSynchronize(stream));
    keep_busy(stream, address);
    int waited = 0;
    scheduler.spawn("waits", [&] {
      CUDA_OK(cuCtxSetCurrent(context));
      CUDA_OK(cuStreamSynchronize(stream));
      mutex.lock();
      mutex.unlock();
      count_call(&waited);
    });
    wait_for(scheduler, waited, 1);
    CUDA_OK(cuLaunchHostFunc(other, pass, &passage));
    wait_for(scheduler, passage.called, 1);
    CUDA_OK(cuLaunchHostFunc(other, pass, &passage));
    signaled.wait();
    CUDA_OK(cuMemFreeAsync(address, third));
    CUDA_OK(cuStreamSynchronize(third));
    CUDA_OK(cuStreamSynchronize(other));
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
