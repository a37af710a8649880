// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/scheduler.h"
#include "harness/core/fault/kinds.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>

#include "harness/core/tests/run_tasks.h"

namespace harness {
namespace {

using testing::Alternate;
using testing::Dice;
using testing::Plain;
using testing::Stage;

constexpr Access kWrite{1, AccessKind::write};
constexpr Access kRead{1, AccessKind::read};

// Two tasks that append their letter before each of two turns.
std::string interleaving(Stage& stage, Strategy& strategy) {
  std::string order;
  stage.begin(strategy);
  for (const char letter : {'a', 'b'})
    stage.scheduler.spawn("task", [&, letter] {
      for (int i = 0; i < 2; ++i) {
        stage.scheduler.turn(kWrite);
        order += letter;
      }
    });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  return order;
}

TEST(Scheduler, StaysOnTheTaskWhenEveryAnswerIsTheDefault) {
  Stage stage;
  Plain plain;
  EXPECT_EQ(interleaving(stage, plain), "aabb");
  EXPECT_TRUE(stage.picker.tape().empty());
}

TEST(Scheduler, RandomAnswersReachEveryInterleaving) {
  Stage stage;
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    seen.insert(interleaving(stage, dice));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"aabb", "abab", "abba", "baab", "baba", "bbaa"}));
}

TEST(Scheduler, EqualAnswersGiveEqualHistories) {
  Stage stage;
  Dice first(7);
  interleaving(stage, first);
  const std::uint64_t hash = stage.history.trace_hash();
  const Tape tape = stage.picker.tape();
  Dice second(7);
  interleaving(stage, second);
  EXPECT_EQ(stage.history.trace_hash(), hash);
  EXPECT_EQ(stage.picker.tape(), tape);
}

TEST(Scheduler, AQuestionHoldsTheNextStepOfEachTask) {
  struct Watch : Strategy {
    std::set<Resource> seen;
    std::uint32_t answer(const Question& question) override {
      for (std::uint32_t i = 0; i < question.option_count; ++i)
        seen.insert(question.options->access(i).resource);
      return question.option_count - 1;
    }
  } watch;
  Stage stage;
  stage.begin(watch);
  for (const Resource resource : {Resource{10}, Resource{20}})
    stage.scheduler.spawn("task", [&stage, resource] {
      for (int i = 0; i < 3; ++i) stage.scheduler.turn({resource, AccessKind::write});
    });
  stage.scheduler.run();
  EXPECT_TRUE(watch.seen.contains(10));
  EXPECT_TRUE(watch.seen.contains(20));
}

TEST(Scheduler, AWaiterSleepsUntilItsPredicateHolds) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Stage stage;
    Dice dice(seed);
    std::atomic<int> value = 0;
    stage.begin(dice);
    stage.scheduler.spawn("waiter", [&] {
      stage.scheduler.wait_until(kRead, "three", [&] { return value == 3; });
      EXPECT_EQ(value, 3);
    });
    stage.scheduler.spawn("writer", [&] {
      for (int i = 0; i < 3; ++i) {
        stage.scheduler.turn(kWrite);
        ++value;
      }
    });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished) << "seed " << seed;
  }
}

TEST(Scheduler, APollingTaskWakesWhenItsWordIsWritten) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Stage stage;
    Dice dice(seed);
    std::atomic<bool> ready = false;
    stage.begin(dice);
    stage.scheduler.spawn("poller", [&] {
      for (;;) {
        stage.scheduler.turn(kRead);
        if (ready) return;
        stage.scheduler.pause();
      }
    });
    stage.scheduler.spawn("writer", [&] {
      stage.scheduler.turn({2, AccessKind::write});
      stage.scheduler.turn(kWrite);
      ready = true;
    });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished) << "seed " << seed;
  }
}

TEST(Scheduler, PollingAWordThatIsNeverWrittenIsALivelock) {
  Stage stage;
  Plain plain;
  EXPECT_EQ(stage.run(plain,
                      [&] {
                        for (;;) {
                          stage.scheduler.turn(kRead);
                          stage.scheduler.pause();
                        }
                      }),
            Ending::livelock);
  EXPECT_EQ(stage.only_fault().kind, FaultKind::livelock);
  EXPECT_NE(stage.only_fault().detail.find("main waits for"), std::string::npos);
}

TEST(Scheduler, SpinningForeverReachesTheTurnLimit) {
  Stage stage;
  Plain plain;
  EXPECT_EQ(stage.run(plain,
                      [&] {
                        for (;;) stage.scheduler.turn(kWrite);
                      }),
            Ending::step_limit);
  EXPECT_EQ(stage.only_fault().kind, FaultKind::step_limit);
}

TEST(Scheduler, ADaemonMayStillWaitAtTheEndOfTheRun) {
  Stage stage;
  Plain plain;
  stage.begin(plain);
  stage.scheduler.spawn_daemon(
      "daemon", [&] { stage.scheduler.wait_until(kRead, "nothing", [] { return false; }); });
  stage.scheduler.spawn("main", [&] { stage.scheduler.turn(kWrite); });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_TRUE(stage.history.faults().empty());
}

TEST(Scheduler, AnExceptionThatLeavesATaskIsAFault) {
  Stage stage;
  Plain plain;
  EXPECT_EQ(stage.run(plain, [] { throw std::runtime_error("boom"); }), Ending::fatal);
  EXPECT_EQ(stage.only_fault().kind, FaultKind::uncaught);
  EXPECT_EQ(stage.only_fault().detail, "boom");
}

TEST(Scheduler, ASwitchInsideACatchPreservesEachTasksException) {
  Stage stage;
  Alternate alternate;
  stage.begin(alternate);
  for (const char* words : {"first", "second"})
    stage.scheduler.spawn("task", [&stage, words] {
      try {
        throw std::runtime_error(words);
      } catch (...) {
        stage.scheduler.turn(kWrite);
        try {
          throw;
        } catch (const std::exception& again) {
          EXPECT_STREQ(again.what(), words);
        }
      }
    });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
}

TEST(Scheduler, TasksSpawnedOneByOneStartInOrder) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Stage stage;
    Dice dice(seed);
    std::string started;
    stage.begin(dice);
    stage.scheduler.pace().spawn_one_by_one(true);
    for (const char letter : {'a', 'b', 'c'})
      stage.scheduler.spawn("task", [&, letter] {
        started += letter;
        stage.scheduler.turn(kWrite);
      });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished);
    EXPECT_EQ(started, "abc");
  }
}

TEST(Scheduler, TasksSpawnedTogetherStartInAnyOrder) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Stage stage;
    Dice dice(seed);
    std::string started;
    stage.begin(dice);
    for (const char letter : {'a', 'b', 'c'})
      stage.scheduler.spawn("task", [&, letter] {
        started += letter;
        stage.scheduler.turn(kWrite);
      });
    stage.scheduler.run();
    orders.insert(started);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Scheduler, ASkewedTaskTakesFewerTurns) {
  Stage stage;
  Dice dice(3);
  std::atomic<int> slow = 0;
  std::atomic<int> fast = 0;
  stage.begin(dice);
  const TaskId slow_task = stage.scheduler.spawn("slow", [&] {
    for (int i = 0; i < 1000; ++i, ++slow) stage.scheduler.turn(kWrite);
  });
  stage.scheduler.spawn("fast", [&] {
    for (int i = 0; i < 1000; ++i, ++fast) stage.scheduler.turn(kWrite);
    EXPECT_LT(slow * 4, fast);
  });
  stage.scheduler.pace().set_skew(slow_task, 16);
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
}

TEST(Scheduler, AnEngineAdvancesWhenChosenAndWhenNoTaskCanRun) {
  struct Counter : Engine {
    Scheduler& scheduler;
    std::uint16_t id = 0;
    int left = 3;
    explicit Counter(Scheduler& s) : scheduler(s) {}
    Name name() const override { return 99; }
    Label label() const override { return "counter"; }
    Access pending() const override { return {77, AccessKind::write}; }
    void advance() override {
      if (--left == 0) scheduler.engines().set_ready(id, false);
      scheduler.touch(77);
    }
  };
  Stage stage;
  Plain plain;
  stage.begin(plain);
  Counter counter(stage.scheduler);
  counter.id = stage.scheduler.engines().add(counter);
  stage.scheduler.engines().set_ready(counter.id, true);
  stage.scheduler.spawn("host", [&] {
    stage.scheduler.turn(kWrite);
    EXPECT_EQ(counter.left, 3) << "the plain answer lets no engine advance";
    stage.scheduler.wait_until({77, AccessKind::read}, "counter",
                               [&] { return counter.left == 0; });
  });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
}

TEST(Scheduler, AbandonedTasksDoNotDisturbTheNextRun) {
  Stage stage;
  Plain plain;
  for (int round = 0; round < 20; ++round) {
    stage.begin(plain);
    stage.scheduler.spawn("dies", [&] {
      volatile char deep[2000];
      for (volatile char& byte : deep) byte = 1;
      stage.scheduler.die();
    });
    stage.scheduler.spawn("parked", [&] { stage.scheduler.turn(kWrite); });
    EXPECT_EQ(stage.scheduler.run(), Ending::fatal);
    EXPECT_EQ(interleaving(stage, plain), "aabb");
  }
}

// Two resources whose low bits are equal are distinguished, also when both are touched before the
// waiter is asked.
TEST(Scheduler, AWaiterIsWokenByItsOwnResourceDespiteHashCollisions) {
  testing::Stage stage;
  testing::Plain plain;
  stage.begin(plain);
  constexpr Resource kMine = 7;
  constexpr Resource kOther = 7 + (std::uint64_t{1} << 20);
  std::atomic<bool> ready = false;  // TSan knows of no order between predicate and toucher.
  std::atomic<int> asked = 0;
  stage.scheduler.spawn("waiter", [&] {
    stage.scheduler.wait_until({kMine, AccessKind::read}, "mine", [&] {
      ++asked;
      return ready.load();
    });
  });
  stage.scheduler.spawn("toucher", [&] {
    for (int i = 0; i < 3; ++i) {
      stage.scheduler.touch(kOther);
      stage.scheduler.turn({});
    }
    EXPECT_EQ(asked.load(), 1);
    ready = true;
    stage.scheduler.touch(kOther);
    stage.scheduler.touch(kMine);
    stage.scheduler.turn({});
  });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
}

TEST(Scheduler, MoreThanSixtyFourTasksCanSleepAndBeWoken) {
  testing::Stage stage;
  testing::Dice dice(3);
  stage.begin(dice);
  constexpr int kTasks = 150;
  std::atomic<int> turn = 0;  // A wait orders nothing by itself.
  for (int i = 0; i < kTasks; ++i)
    stage.scheduler.spawn("link", [&, i] {
      const auto resource = static_cast<Resource>(1000 + i);
      stage.scheduler.wait_until({resource, AccessKind::read}, "my turn",
                                 [&, i] { return turn.load() == i; });
      ++turn;
      stage.scheduler.touch(resource + 1);
    });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_EQ(turn.load(), kTasks);
}

// A poller that looks at twenty words in each round still sleeps: nothing else's words wake it.
TEST(Scheduler, APollerOfManyWordsSleeps) {
  testing::Stage stage;
  testing::Plain plain;
  stage.begin(plain);
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  stage.scheduler.spawn("poller", [&] {
    while (!stop) {
      ++rounds;
      for (Resource word = 0; word < 20; ++word) stage.scheduler.turn({word, AccessKind::read});
      stage.scheduler.pause();
    }
  });
  stage.scheduler.spawn("writer", [&] {
    for (Resource word = 100; word < 300; ++word) stage.scheduler.turn({word, AccessKind::write});
    stage.scheduler.turn({5, AccessKind::write});
    stop = true;
    stage.scheduler.turn({});
  });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_LE(rounds, 3);
}

}  // namespace
}  // namespace harness
