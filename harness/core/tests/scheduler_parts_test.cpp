// SPDX-License-Identifier: Apache-2.0
// The parts of the scheduler, one by one. Their combination is tested in scheduler_test.cpp.
#include <gtest/gtest.h>

#include <vector>

#include "harness/core/fault/kinds.h"
#include "harness/core/scheduler/pace.h"
#include "harness/core/scheduler/stuck.h"
#include "harness/core/scheduler/turn_count.h"
#include "harness/core/scheduler/waiting.h"

namespace harness::scheduling {
namespace {

using Indices = std::vector<std::uint16_t>;

/// Three tasks that can continue.
class SchedulerParts : public ::testing::Test {
 protected:
  SchedulerParts() {
    for (int i = 0; i < 3; ++i) {
      Task& task = tasks_.add();
      task.label = "task";
      task.runnable = ready_.add({&task, nullptr, 1});
      ready_.make_ready(task.runnable);
    }
  }

  Task& task(std::uint16_t id) { return tasks_[TaskId{id}]; }
  void sleep(Task& task, Resource resource, bool& ready) {
    task.state = Task::State::waiting;
    task.pending = {resource, AccessKind::read};
    task.ready = [](void* context) { return *static_cast<bool*>(context); };
    task.ready_context = &ready;
    waiting_.watch(task);
    ready_.make_unready(task.runnable);
  }
  void touch(Resource resource) {
    waiting_.touch(resource, 1);
    waiting_.wake(tasks_, ready_);
  }

  Tasks tasks_;
  ReadySet ready_;
  Pace pace_{tasks_, ready_};
  Waiting waiting_;
};

TEST_F(SchedulerParts, TheReadySetIsAscendingAndReportsChanges) {
  ready_.make_unready(0);
  const std::uint64_t version = ready_.version();
  ready_.make_unready(0);
  EXPECT_EQ(ready_.version(), version) << "it was not ready";
  ready_.make_ready(0);
  EXPECT_NE(ready_.version(), version);
  EXPECT_EQ(ready_.ready(), (Indices{0, 1, 2}));
}

TEST_F(SchedulerParts, ADelayedTaskIsHeldBackUntilItsTime) {
  pace_.hold_up(task(1), 10);
  EXPECT_TRUE(pace_.holds_back(9));
  EXPECT_EQ(pace_.eligible(9), (Indices{0, 2}));
  ready_.make_unready(0);
  EXPECT_EQ(pace_.eligible(9), (Indices{2})) << "another can no longer go on";
  EXPECT_EQ(pace_.eligible(10), (Indices{1, 2}));
  EXPECT_FALSE(pace_.holds_back(10));
}

TEST_F(SchedulerParts, EachTaskIsHeldBackForItsOwnDelay) {
  pace_.hold_up(task(1), 10);
  pace_.hold_up(task(2), 20);
  EXPECT_EQ(pace_.eligible(9), (Indices{0}));
  EXPECT_EQ(pace_.eligible(10), (Indices{0, 1}));
  EXPECT_EQ(pace_.eligible(20), (Indices{0, 1, 2}));
}

TEST_F(SchedulerParts, NoTaskIsHeldBackIfAllAreDelayed) {
  for (std::uint16_t id = 0; id < 3; ++id) pace_.hold_up(task(id), 10);
  EXPECT_EQ(pace_.eligible(9), (Indices{0, 1, 2}));
}

TEST_F(SchedulerParts, ATouchWakesAWaiterOnceItsPredicateHolds) {
  bool holds = false;
  sleep(task(1), 77, holds);
  touch(78);
  touch(77);
  EXPECT_EQ(ready_.ready(), (Indices{0, 2})) << "it still waits";
  holds = true;
  touch(78);
  EXPECT_EQ(ready_.ready(), (Indices{0, 2})) << "something else was touched";
  touch(77);
  EXPECT_EQ(ready_.ready(), (Indices{0, 1, 2}));
}

TEST_F(SchedulerParts, APollerSeesWritesSinceItsRead) {
  task(0).reads.add(77, 5);
  EXPECT_FALSE(waiting_.changed_since_read(task(0)));
  waiting_.touch(77, 6);
  EXPECT_TRUE(waiting_.changed_since_read(task(0)));
  task(0).reads.clear();
  EXPECT_FALSE(waiting_.changed_since_read(task(0)));
  for (Resource resource = 0; resource < 33; ++resource) task(0).reads.add(1000 + resource, 7);
  EXPECT_TRUE(waiting_.changed_since_read(task(0))) << "more than it can keep";
}

TEST_F(SchedulerParts, AWaiterIsADeadlockAndPollersAreALivelock) {
  bool never = false;
  task(0).state = Task::State::paused;
  task(0).waits_for = "news";
  EXPECT_EQ(stuck_fault(tasks_).kind, FaultKind::livelock);
  sleep(task(1), 77, never);
  task(1).waits_for = "lock";
  const TaskId holder{2};
  task(1).waits_for_task = &holder;
  const Fault fault = stuck_fault(tasks_);
  EXPECT_EQ(fault.kind, FaultKind::deadlock);
  EXPECT_EQ(fault.object_kind, Label("lock"));
  EXPECT_EQ(fault.detail, "task waits for news; task waits for lock held by task");
  task(1).daemon = true;
  EXPECT_EQ(stuck_fault(tasks_).kind, FaultKind::livelock) << "no one must finish who waits";
}

TEST(TurnCount, TicksOfTwoRunsDoNotOverlap) {
  TurnCount turns;
  turns.begin(2);
  turns.take();
  turns.take();
  EXPECT_TRUE(turns.used_up());
  const Tick last = turns.ever();
  turns.begin(2);
  EXPECT_EQ(turns.taken(), 0u);
  EXPECT_GT(turns.ever(), last);
}

}  // namespace
}  // namespace harness::scheduling
