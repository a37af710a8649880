// SPDX-License-Identifier: Apache-2.0
#include "harness/core/sync.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "harness/core/tests/run_tasks.h"

namespace harness {
namespace {

using testing::Contrary;
using testing::Dice;
using testing::Plain;
using testing::Stage;

TEST(Sync, AMutexLetsOneTaskInAtATime) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Mutex mutex(stage.scheduler);
    int inside = 0;
    for (int t = 0; t < 3; ++t)
      stage.scheduler.spawn("task", [&] {
        for (int i = 0; i < 3; ++i) {
          const LockGuard guard(mutex);
          EXPECT_EQ(++inside, 1);
          stage.scheduler.turn({5, AccessKind::write});
          --inside;
        }
      });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  }
}

TEST(Sync, AnOfferedMutexIsHeldByOneTaskAtATime) {
  int handed_over = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Mutex mutex(stage.scheduler);
    int last = 0;
    for (int t = 1; t <= 3; ++t)
      stage.scheduler.spawn("task", [&, t] {
        const LockGuard guard(mutex);
        for (int i = 0; i < 3; ++i) {
          last = t;
          mutex.offer();
          handed_over += last != t;
          EXPECT_TRUE(mutex.held_by_current());
        }
      });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished) << "seed " << seed;
  }
  EXPECT_GT(handed_over, 0);
}

TEST(Sync, AnOfferWithoutATakerTakesOneTurn) {
  Stage stage;
  Plain plain;
  stage.run(plain, [&stage] {
    Mutex outer(stage.scheduler);
    Mutex mutex(stage.scheduler);
    for (const bool alone : {true, false}) {
      if (!alone) outer.lock();
      mutex.lock();
      const Tick before = stage.scheduler.now();
      mutex.offer();
      EXPECT_EQ(stage.scheduler.now(), before + 1) << alone;
      EXPECT_TRUE(mutex.held_by_current());
      mutex.unlock();
    }
  });
}

TEST(Sync, ALockInversionDeadlocksAndNamesTheWaiters) {
  int deadlocks = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Mutex a(stage.scheduler, "lock a");
    Mutex b(stage.scheduler, "lock b");
    const auto take = [](Mutex& first, Mutex& second) {
      const LockGuard outer(first);
      const LockGuard inner(second);
    };
    stage.scheduler.spawn("ab", [&] { take(a, b); });
    stage.scheduler.spawn("ba", [&] { take(b, a); });
    if (stage.scheduler.run() != Ending::deadlock) continue;
    ++deadlocks;
    const std::string story = stage.history.faults().back().detail;
    EXPECT_NE(story.find("ab waits for lock b held by ba"), std::string::npos) << story;
    EXPECT_NE(story.find("ba waits for lock a held by ab"), std::string::npos) << story;
  }
  EXPECT_GT(deadlocks, 0);
  EXPECT_LT(deadlocks, 100);
}

TEST(Sync, AConditionWakesItsWaiterUnderTheMutex) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Mutex mutex(stage.scheduler);
    Condition condition(stage.scheduler);
    bool ready = false;
    stage.scheduler.spawn("waiter", [&] {
      const LockGuard guard(mutex);
      while (!ready) condition.wait(mutex);
      EXPECT_TRUE(mutex.held_by_current());
    });
    stage.scheduler.spawn("notifier", [&] {
      const LockGuard guard(mutex);
      ready = true;
      condition.notify_one();
    });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished) << "seed " << seed;
  }
}

TEST(Sync, ANotificationBeforeTheWaitIsLost) {
  bool lost = false;
  for (std::uint64_t seed = 0; seed < 50 && !lost; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Mutex mutex(stage.scheduler);
    Condition condition(stage.scheduler);
    stage.scheduler.spawn("waiter", [&] {
      const LockGuard guard(mutex);
      condition.wait(mutex);  // No predicate: the bug.
    });
    stage.scheduler.spawn("notifier", [&] { condition.notify_all(); });
    lost = stage.scheduler.run() == Ending::deadlock;
  }
  EXPECT_TRUE(lost);
}

TEST(Sync, ALoadThenStoreLosesAnUpdateAndFetchAddDoesNot) {
  bool lost = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Atomic<int> torn(stage.scheduler);
    Atomic<int> whole(stage.scheduler);
    int torn_final = 0;
    int whole_final = 0;
    Latch done(stage.scheduler, 2);
    for (int t = 0; t < 2; ++t)
      stage.scheduler.spawn("task", [&] {
        torn.store(torn.load() + 1);
        whole.fetch_add(1);
        done.count_down();
      });
    stage.scheduler.spawn("reader", [&] {
      done.wait();
      torn_final = torn.load();
      whole_final = whole.load();
    });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished);
    EXPECT_EQ(whole_final, 2);
    lost |= torn_final == 1;
  }
  EXPECT_TRUE(lost);
}

TEST(Sync, CompareExchangeReturnsTheFoundValue) {
  Stage stage;
  Plain plain;
  stage.run(plain, [&] {
    Atomic<int> value(stage.scheduler, 4);
    int expected = 3;
    EXPECT_FALSE(value.compare_exchange(expected, 9));
    EXPECT_EQ(expected, 4);
    EXPECT_TRUE(value.compare_exchange(expected, 9));
    EXPECT_EQ(value.load(), 9);
  });
}

TEST(Sync, ABarrierKeepsRoundsApart) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Barrier barrier(stage.scheduler, 3);
    std::atomic<int> arrived = 0;
    for (int t = 0; t < 3; ++t)
      stage.scheduler.spawn("task", [&] {
        for (int round = 1; round <= 3; ++round) {
          stage.scheduler.turn({5, AccessKind::write});
          ++arrived;
          barrier.arrive_and_wait();
          EXPECT_GE(arrived, 3 * round);
        }
      });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  }
}

TEST(Sync, TheGilChangesHandsOnlyAtCheckpoints) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Gil gil(stage.scheduler, true);
    int inside = 0;
    for (int t = 0; t < 2; ++t)
      stage.scheduler.spawn("python", [&] {
        gil.acquire();
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(++inside, 1);
          stage.scheduler.turn({6, AccessKind::write});  // Inside a C call that holds the lock.
          --inside;
          gil.checkpoint();
        }
        gil.release();
      });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  }
}

TEST(Sync, WithoutAGilTasksOverlapInsideACall) {
  std::atomic<bool> met = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Stage stage;
    Dice dice(seed);
    stage.begin(dice);
    Gil gil(stage.scheduler, false);
    std::atomic<int> inside = 0;
    for (int t = 0; t < 2; ++t)
      stage.scheduler.spawn("python", [&] {
        gil.acquire();
        if (++inside == 2) met = true;
        stage.scheduler.turn({6, AccessKind::write});
        --inside;
        gil.release();
      });
    stage.scheduler.run();
  }
  EXPECT_TRUE(met);
}

// ---- under TSan every task is a thread ----------------------------------------------------------

// Two tasks add to a plain counter; with `locked`, under a mutex.
void count_up(bool locked) {
  Stage stage;
  Contrary contrary;
  stage.begin(contrary);
  Mutex mutex(stage.scheduler);
  auto* counter = stage.arena.make<int>(0);
  for (int t = 0; t < 2; ++t)
    stage.scheduler.spawn("task", [&, counter] {
      if (locked) mutex.lock();
      stage.scheduler.turn({8, AccessKind::write});
      *static_cast<volatile int*>(counter) = *counter + 1;
      if (locked) mutex.unlock();
    });
  stage.scheduler.run();
}

TEST(SyncDeathTest, AnUnlockedCounterIsReportedByTSan) {
  if (!kTsan) GTEST_SKIP() << "needs the tsan build";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        count_up(false);
        std::exit(0);
      },
      ::testing::ExitedWithCode(66), "data race");
}

TEST(SyncDeathTest, ALockedCounterIsNotReportedByTSan) {
  if (!kTsan) GTEST_SKIP() << "needs the tsan build";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        count_up(true);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace harness
