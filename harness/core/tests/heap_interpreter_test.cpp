// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/core/fault/kinds.h"
#include "harness/core/tests/run_managed.h"

namespace harness {
namespace {

using namespace testing;

/// Two threads of three steps each; each tells its letter in two halves.
Story tell_in_steps(Managed& stage, Strategy& strategy, bool in_c_call, HeapConfig config) {
  stage.begin(strategy, config);
  for (const char* name : {"a", "b"})
    stage.thread("thread", [&stage, name, in_c_call] {
      const auto halves = [&] {
        stage.tell(name);
        stage.scheduler.turn({1, AccessKind::write});  // A call of the driver API offers this turn.
        stage.tell(name);
      };
      for (int i = 0; i < 3; ++i) {
        if (in_c_call)
          stage.python->c_call("call", halves);
        else
          stage.python->step("STORE_ATTR"), stage.tell(name);
      }
    });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_TRUE(stage.history.faults().empty());
  return stage.story;
}

TEST(Interpreter, TheGilChangesHandsBetweenAnyTwoSteps) {
  Managed stage;
  Alternate alternate;
  const Story story = tell_in_steps(stage, alternate, false, {});
  EXPECT_TRUE(story == (Story{"a", "b", "a", "b", "a", "b"}) ||
              story == (Story{"b", "a", "b", "a", "b", "a"}))
      << ::testing::PrintToString(story);
}

TEST(Interpreter, APlainStepKeepsTheGil) {
  Managed stage;
  Plain plain;
  EXPECT_EQ(tell_in_steps(stage, plain, false, {}), (Story{"a", "a", "a", "b", "b", "b"}));
}

bool has_torn_call(const Story& story) {
  for (std::size_t i = 0; i + 1 < story.size(); i += 2)
    if (story[i] != story[i + 1]) return true;
  return false;
}

TEST(Interpreter, NoOtherTaskRunsPythonDuringACCallThatHoldsTheGil) {
  Managed stage;
  Alternate alternate;
  EXPECT_FALSE(has_torn_call(tell_in_steps(stage, alternate, true, {})));
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    EXPECT_FALSE(has_torn_call(tell_in_steps(stage, dice, true, {})));
  }
}

TEST(Interpreter, WithoutAGilACCallIsInterrupted) {
  Managed stage;
  bool torn = false;
  for (std::uint64_t seed = 0; seed < 300 && !torn; ++seed) {
    Dice dice(seed);
    torn = has_torn_call(tell_in_steps(stage, dice, true, {false, CollectAt::allocation}));
  }
  EXPECT_TRUE(torn);
}

TEST(Interpreter, ACCallThatReleasesTheGilLetsOtherTasksRun) {
  Managed stage;
  Alternate alternate;
  stage.begin(alternate);
  for (const char* name : {"a", "b"})
    stage.thread("thread", [&stage, name] {
      stage.python->c_call("synchronize", [&] {
        stage.tell(name);
        stage.python->allow_threads([&] { EXPECT_FALSE(stage.python->attached()); });
        stage.tell(name);
      });
    });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_TRUE(has_torn_call(stage.story)) << ::testing::PrintToString(stage.story);
}

TEST(Interpreter, TouchingObjectsWithoutTheGilIsApiMisuse) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    Ref object = stage.heap.make(kPlainType);
    stage.python->allow_threads([&] { object.reset(); });
  });
  EXPECT_EQ(stage.only_fault().kind, FaultKind::api_misuse);
}

TEST(Interpreter, AStepWithoutTheGilIsApiMisuse) {
  Managed stage;
  Plain plain;
  stage.run(plain,
            [&] { stage.python->allow_threads([&] { stage.python->c_call("callback", [] {}); }); });
  EXPECT_EQ(stage.only_fault().kind, FaultKind::api_misuse);
}

TEST(Interpreter, APendingCallThatTakesStepsIsNotInterruptedByTheNext) {
  Managed stage;
  Plain plain;
  const auto call = [](void* name) {
    Managed::now->tell(static_cast<const char*>(name));
    Managed::now->python->step("NOP");
    Managed::now->tell("done");
  };
  stage.run(plain, [&] {
    for (const char* name : {"a", "b"})
      stage.python->add_pending_call(call, const_cast<char*>(name));
    stage.python->step("NOP");
  });
  EXPECT_EQ(stage.story, (Story{"a", "done", "b", "done"}));
}

TEST(Interpreter, APendingCallRunsOnTheMainThreadBetweenItsSteps) {
  Managed stage;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    stage.begin(dice);
    stage.python->set_main(stage.thread("main", [&] {
      while (stage.story.empty()) stage.python->step("NOP");
    }));
    stage.scheduler.spawn("callback", [&] {
      const auto call = [](void* argument) {
        EXPECT_EQ(argument, Managed::now);
        EXPECT_TRUE(Managed::now->python->attached());
        EXPECT_EQ(Managed::now->scheduler.tasks().label(Managed::now->scheduler.current()),
                  Label("main"));
        Managed::now->tell("called");
      };
      EXPECT_TRUE(stage.python->add_pending_call(call, &stage));
      const AttachScope attached(*stage.python);
      for (int i = 0; i < 3; ++i) stage.python->step("NOP");
    });
    EXPECT_EQ(stage.scheduler.run(), Ending::finished);
    EXPECT_EQ(stage.story, Story{"called"});
  }
}

TEST(Interpreter, TheQueueOfPendingCallsIsBounded) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    for (std::size_t i = 0; i < Interpreter::kPendingLimit; ++i)
      EXPECT_TRUE(stage.python->add_pending_call([](void*) {}, nullptr));
    EXPECT_FALSE(stage.python->add_pending_call([](void*) {}, nullptr));
    stage.python->step("NOP");
    EXPECT_EQ(stage.python->pending_count(), 0u);
  });
}

}  // namespace
}  // namespace harness
