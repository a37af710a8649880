// SPDX-License-Identifier: Apache-2.0
// The locks of the driver, and the threads on which it calls functions of the program: choices,
// hangs, and lock cycles that are reported without a hang. On the simulated driver.
#include <algorithm>
#include <utility>

#include "harness/core/fault/kinds.h"
#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

/// Chooses the thread of destructors, and whether the driver holds its lock while it calls them.
/// All other answers are the default.
class Driver : public Strategy {
 public:
  enum Where : std::uint32_t { own_thread, shared_thread, caller };
  Driver(Where where, bool holds) : where_(where), holds_(holds) {}
  std::uint32_t answer(const Question& question) override {
    if (question.site == Site::thread) return where_ < question.option_count ? where_ : 0;
    return question.site == Site::hold && holds_ ? 1 : 0;
  }

 private:
  Where where_;
  bool holds_;
};

class DriverLock : public UnderStrategy {
 protected:
  std::size_t count(FaultKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(stage.faults.begin(), stage.faults.end(),
                      [kind](const Fault& fault) { return fault.kind == kind; }));
  }
  std::string detail(FaultKind kind) const {
    for (const Fault& fault : stage.faults)
      if (fault.kind == kind) return fault.detail;
    return "no " + std::string(to_label(kind).view());
  }
  Scheduler& scheduler() { return stage.world.scheduler; }
};

/// A mutex of the program, and the number of called functions.
struct Shared {
  explicit Shared(Scheduler& scheduler) : scheduler(scheduler), mutex(scheduler, "table lock") {}
  Scheduler& scheduler;
  Mutex mutex;
  int calls = 0;
};

void lock_and_count(void* data) {
  auto& shared = *static_cast<Shared*>(data);
  const LockGuard guard(shared.mutex);
  ++shared.calls;
}

void just_count(void* data) { ++static_cast<Shared*>(data)->calls; }

CUuserObject make_object(Shared& shared, CUhostFn destroy) {
  CUuserObject object = nullptr;
  EXPECT_EQ(cuUserObjectCreate(&object, &shared, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
            CUDA_SUCCESS);
  return object;
}

CUgraph make_owner(Shared& shared, CUhostFn destroy) {
  CUgraph graph = make_graph();
  EXPECT_EQ(
      cuGraphRetainUserObject(graph, make_object(shared, destroy), 1, CU_GRAPH_USER_OBJECT_MOVE),
      CUDA_SUCCESS);
  return graph;
}

/// Lets all run who can.
void let_others_run(Scheduler& scheduler) {
  Latch latch(scheduler, 1);
  scheduler.spawn("other", [&latch] { latch.count_down(); });
  latch.wait();
}

// ---- on which thread a destructor runs ---------------------------------------------------------

TEST_F(DriverLock, ADestructorRunsOnAnotherThreadByDefault) {
  run(Plain(), [this] {
    Shared shared(scheduler());
    CUDA_OK(cuGraphDestroy(make_owner(shared, just_count)));
    EXPECT_EQ(shared.calls, 0);
    let_others_run(scheduler());
    EXPECT_EQ(shared.calls, 1);
  });
  expect_finished();
}

TEST_F(DriverLock, ADestructorMayRunInTheCallThatDropsTheLastReference) {
  run(Driver(Driver::caller, false), [this] {
    Shared shared(scheduler());
    CUDA_OK(cuGraphDestroy(make_owner(shared, just_count)));
    EXPECT_EQ(shared.calls, 1) << "cuGraphDestroy";
    CUDA_OK(cuUserObjectRelease(make_object(shared, just_count), 1));
    EXPECT_EQ(shared.calls, 2) << "cuUserObjectRelease";
    CUgraph graph = make_owner(shared, just_count);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphDestroy(graph));
    EXPECT_EQ(shared.calls, 2) << "the executable has it";
    CUDA_OK(cuGraphExecDestroy(exec));
    EXPECT_EQ(shared.calls, 3) << "cuGraphExecDestroy";
    CUgraph parent = make_graph();
    CUgraph child = make_owner(shared, just_count);
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddChildGraphNode(&node, parent, nullptr, 0, child));
    CUDA_OK(cuGraphDestroy(child));
    EXPECT_EQ(shared.calls, 3) << "the child's copy has it";
    CUDA_OK(cuGraphDestroyNode(node));
    EXPECT_EQ(shared.calls, 4) << "cuGraphDestroyNode";
  });
  expect_finished();
}

TEST_F(DriverLock, ReferencesOfAFinishedLaunchAreDroppedByTheDriver) {
  class Late : public Driver {
   public:
    Late() : Driver(caller, false) {}
    std::uint32_t answer(const Question& question) override {
      return question.site == Site::lag ? 1 : Driver::answer(question);
    }
  };
  run(Late(), [this] {
    Shared shared(scheduler());
    CUgraph graph = make_owner(shared, just_count);
    CUstream stream = make_stream();
    add_set(graph, allocate(64), 1);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuGraphDestroy(graph));
    CUDA_OK(cuGraphExecDestroy(exec));
    EXPECT_EQ(shared.calls, 0) << "the launch has it";
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(shared.calls, 0) << "by another thread";
    let_others_run(scheduler());
    EXPECT_EQ(shared.calls, 1);
  });
  expect_finished();
}

TEST_F(DriverLock, ADestructorOnTheCallersThreadMayNotCallCuda) {
  run(Driver(Driver::caller, false), [this] {
    Shared shared(scheduler());
    CUDA_OK(cuGraphDestroy(make_owner(shared, [](void* data) {
      just_count(data);
      EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_NOT_PERMITTED);
    })));
    EXPECT_EQ(shared.calls, 1);
    CUDA_OK(cuCtxSynchronize());
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

/// The caller holds what the destructor wants.
void destroy_with_the_lock_held(Scheduler& scheduler) {
  Shared shared(scheduler);
  CUgraph graph = make_owner(shared, lock_and_count);
  {
    const LockGuard guard(shared.mutex);
    CUDA_OK(cuGraphDestroy(graph));
  }
  let_others_run(scheduler);
  EXPECT_EQ(shared.calls, 1);
}

TEST_F(DriverLock, ADestructorThatTakesTheCallersLockHangsOnItsThread) {
  run(Driver(Driver::caller, false), [this] { destroy_with_the_lock_held(scheduler()); });
  EXPECT_EQ(ending, Ending::deadlock);
  EXPECT_EQ(detail(FaultKind::deadlock), "main waits for table lock held by main");
}

TEST_F(DriverLock, ADestructorOnAnotherThreadTakesTheCallersLock) {
  run(Plain(), [this] { destroy_with_the_lock_held(scheduler()); });
  expect_finished();
}

// ---- the driver's lock -------------------------------------------------------------------------

/// While a host function is on its way, makes a call that waits for nothing, with a lock held that
/// the function wants.
void call_with_the_lock_held(Scheduler& scheduler) {
  Shared shared(scheduler);
  CUstream stream = make_stream();
  CUDA_OK(cuLaunchHostFunc(stream, lock_and_count, &shared));
  {
    const LockGuard guard(shared.mutex);
    allocate(64);
  }
  CUDA_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(shared.calls, 1);
}

TEST_F(DriverLock, ALockCycleThroughTheDriverIsReportedWithoutAHang) {
  run(Driver(Driver::own_thread, true), [this] { call_with_the_lock_held(scheduler()); });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "lock_cycle");
  EXPECT_EQ(
      detail(FaultKind::lock_cycle),
      "host functions holds driver lock and waits for table lock in host function; main holds "
      "table lock and waits for driver lock in cuMemAlloc");
}

TEST_F(DriverLock, ADriverThatHoldsNoLockDuringCallbacksMakesNoCycle) {
  run(Plain(), [this] { call_with_the_lock_held(scheduler()); });
  expect_finished();
}

/// Lets the function continue once, when `locked`, and holds the driver's lock around it.
class Meet : public Driver {
 public:
  explicit Meet(bool& locked) : Driver(own_thread, true), locked_(locked) {}
  std::uint32_t answer(const Question& question) override {
    if (question.site != Site::schedule) return Driver::answer(question);
    return std::exchange(locked_, false) ? 1 : 0;
  }

 private:
  bool& locked_;
};

TEST_F(DriverLock, ALockCycleThroughTheDriverCanHang) {
  bool locked = false;
  run(Meet(locked), [this, &locked] {
    Shared shared(scheduler());
    CUstream stream = make_stream();
    CUDA_OK(cuLaunchHostFunc(stream, lock_and_count, &shared));
    const LockGuard guard(shared.mutex);
    locked = true;
    allocate(64);
  });
  EXPECT_EQ(ending, Ending::deadlock);
  EXPECT_EQ(
      detail(FaultKind::deadlock),
      "main waits for driver lock held by host functions; host functions waits for table lock "
      "held by main");
}

TEST_F(DriverLock, WaitingForTheFunctionFirstMakesNoCycle) {
  run(Driver(Driver::own_thread, true), [this] {
    Shared shared(scheduler());
    CUstream stream = make_stream();
    CUDA_OK(cuLaunchHostFunc(stream, lock_and_count, &shared));
    CUDA_OK(cuStreamSynchronize(stream));
    const LockGuard guard(shared.mutex);
    allocate(64);
  });
  expect_finished();
}

TEST_F(DriverLock, CallingBeforeTheFunctionIsSubmittedMakesNoCycle) {
  run(Driver(Driver::own_thread, true), [this] {
    Shared shared(scheduler());
    CUstream stream = make_stream();
    {
      const LockGuard guard(shared.mutex);
      allocate(64);
    }
    CUDA_OK(cuLaunchHostFunc(stream, lock_and_count, &shared));
    CUDA_OK(cuStreamSynchronize(stream));
  });
  expect_finished();
}

TEST_F(DriverLock, ADestructorOnACallersThreadMakesTheCycle) {
  run(Driver(Driver::caller, true), [this] {
    Shared shared(scheduler());
    CUgraph graph = make_owner(shared, lock_and_count);
    CUcontext context = current_context();
    Latch began(scheduler(), 1);
    scheduler().spawn("other", [&] {
      began.count_down();
      CUDA_OK(cuCtxSetCurrent(context));
      const LockGuard guard(shared.mutex);
      allocate(64);
    });
    began.wait();
    CUDA_OK(cuGraphDestroy(graph));
    EXPECT_EQ(shared.calls, 1);
    let_others_run(scheduler());
  });
  EXPECT_GE(count(FaultKind::lock_cycle) + count(FaultKind::deadlock), 1u) << stage.fault();
}

// ---- the driver's thread -----------------------------------------------------------------------

TEST_F(DriverLock, WaitingForAFunctionWhileHoldingItsLockHangs) {
  run(Plain(), [this] {
    Shared shared(scheduler());
    CUstream stream = make_stream();
    CUDA_OK(cuLaunchHostFunc(stream, lock_and_count, &shared));
    const LockGuard guard(shared.mutex);
    CUDA_OK(cuStreamSynchronize(stream));
  });
  EXPECT_EQ(ending, Ending::deadlock);
}

/// A destructor waits for a lock whose holder waits for its own host function.
void starve(Scheduler& scheduler) {
  Shared shared(scheduler);
  CUstream stream = make_stream();
  CUgraph graph = make_owner(shared, lock_and_count);
  const LockGuard guard(shared.mutex);
  CUDA_OK(cuGraphDestroy(graph));
  let_others_run(scheduler);
  CUDA_OK(cuLaunchHostFunc(stream, just_count, &shared));
  CUDA_OK(cuStreamSynchronize(stream));
}

TEST_F(DriverLock, ABlockingDestructorStarvesHostFunctionsOnItsThread) {
  run(Driver(Driver::shared_thread, false), [this] { starve(scheduler()); });
  EXPECT_EQ(ending, Ending::deadlock);
  EXPECT_NE(detail(FaultKind::deadlock)
                .find("host functions waits for driver's thread held by "
                      "user object destructors"),
            std::string::npos)
      << detail(FaultKind::deadlock);
}

TEST_F(DriverLock, ABlockingDestructorOnItsOwnThreadStarvesNothing) {
  run(Plain(), [this] { starve(scheduler()); });
  EXPECT_EQ(ending, Ending::finished) << stage.fault();
}

// ---- cycles of the program's own locks ---------------------------------------------------------

/// Two tasks, one after the other by luck, take two locks.
class LockOrder : public DriverLock {
 protected:
  template <class First, class Second>
  void run_two(First first, Second second) {
    run(Plain(), [this, first, second] {
      Mutex a(scheduler(), "a");
      Mutex b(scheduler(), "b");
      Mutex gate(scheduler(), "gate");
      Latch met(scheduler(), 2);
      Latch done(scheduler(), 1);
      Latch over(scheduler(), 2);
      Locks locks{a, b, gate, met, done};
      scheduler().spawn("first", [&] {
        met.count_down();
        first(locks);
        over.count_down();
      });
      scheduler().spawn("second", [&] {
        met.count_down();
        second(locks);
        over.count_down();
      });
      over.wait();
    });
    EXPECT_EQ(ending, Ending::finished);
  }
  struct Locks {
    Mutex& a;
    Mutex& b;
    Mutex& gate;
    Latch& met;
    Latch& done;
  };
};

TEST_F(LockOrder, OppositeOrdersOfTwoTasksAreACycle) {
  run_two(
      [](Locks& locks) {
        locks.met.wait();
        const LockGuard a(locks.a);
        const LockGuard b(locks.b);
      },
      [](Locks& locks) {
        const LockGuard b(locks.b);
        const LockGuard a(locks.a);
      });
  EXPECT_EQ(stage.fault(), "lock_cycle");
}

TEST_F(LockOrder, OppositeOrdersUnderAThirdLockAreNoCycle) {
  run_two(
      [](Locks& locks) {
        const LockGuard gate(locks.gate);
        const LockGuard a(locks.a);
        const LockGuard b(locks.b);
      },
      [](Locks& locks) {
        const LockGuard gate(locks.gate);
        const LockGuard b(locks.b);
        const LockGuard a(locks.a);
      });
  expect_finished();
}

TEST_F(LockOrder, OppositeOrdersOneAfterTheOtherAreNoCycle) {
  run_two(
      [](Locks& locks) {
        {
          const LockGuard a(locks.a);
          const LockGuard b(locks.b);
        }
        locks.done.count_down();
      },
      [](Locks& locks) {
        locks.done.wait();
        const LockGuard b(locks.b);
        const LockGuard a(locks.a);
      });
  expect_finished();
}

TEST_F(LockOrder, ASingleTaskMakesNoCycle) {
  run_two(
      [](Locks& locks) {
        {
          const LockGuard a(locks.a);
          const LockGuard b(locks.b);
        }
        const LockGuard b(locks.b);
        const LockGuard a(locks.a);
      },
      [](Locks&) {});
  expect_finished();
}

TEST_F(LockOrder, ATryLockIsNotAWait) {
  run_two(
      [](Locks& locks) {
        locks.met.wait();
        const LockGuard a(locks.a);
        if (locks.b.try_lock()) locks.b.unlock();
      },
      [](Locks& locks) {
        const LockGuard b(locks.b);
        const LockGuard a(locks.a);
      });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
