// SPDX-License-Identifier: Apache-2.0
// Processes: which tasks belong to them, their speed, and the points at which they can be delayed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "harness/core/tests/run_tasks.h"
#include "harness/run/run.h"
#include "harness/run/tests/toy_scenario.h"

namespace harness {
namespace {

constexpr ProcessId kSecond{1};

/// Delays with one option, and switches to another task if possible.
class Delays : public Strategy {
 public:
  explicit Delays(std::uint32_t option) : option_(option) {}
  std::uint32_t answer(const Question& question) override {
    if (question.site == Site::delay) return option_;
    return question.site == Site::schedule ? question.option_count - 1 : 0;
  }

 private:
  std::uint32_t option_;
};

TEST(Process, ATaskBelongsToTheProcessOfItsSpawner) {
  testing::Stage stage;
  testing::Plain plain;
  stage.begin(plain);
  ProcessId seen[3] = {};
  {
    const ProcessScope process(stage.scheduler, kSecond);
    stage.scheduler.spawn("rank", [&] {
      seen[0] = stage.scheduler.process();
      stage.scheduler.spawn("progress", [&] { seen[1] = stage.scheduler.process(); });
    });
  }
  stage.scheduler.spawn("other", [&] { seen[2] = stage.scheduler.process(); });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_EQ(seen[0], kSecond);
  EXPECT_EQ(seen[1], kSecond);
  EXPECT_EQ(seen[2], ProcessId::first);
}

TEST(Process, ASlowProcessSlowsAllItsTasks) {
  testing::Stage stage;
  testing::Plain plain;
  stage.begin(plain);
  Tick ends[2] = {};
  for (std::uint16_t i = 0; i < 2; ++i) {
    const ProcessScope process(stage.scheduler, ProcessId{i});
    stage.scheduler.spawn("rank", [&, i] {
      stage.scheduler.spawn("progress", [&, i] {
        for (int j = 0; j < 10; ++j) stage.scheduler.turn({});
        ends[i] = stage.scheduler.now();
      });
    });
  }
  stage.scheduler.pace().set_skew(ProcessId::first, 64);
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_LT(ends[1], ends[0]);
}

/// Returns the steps of two tasks, in order; the first task passes a delay point.
std::string order_with(Strategy& strategy, bool allowed) {
  testing::Stage stage;
  stage.begin(strategy);
  std::string order;
  if (allowed) stage.scheduler.pace().allow_delays();
  stage.scheduler.spawn("late", [&] {
    stage.scheduler.delay_point("after_barrier_test");
    order += 'a';
  });
  stage.scheduler.spawn("other", [&] {
    for (int i = 0; i < 20; ++i) {
      stage.scheduler.turn({});
      order += 'b';
    }
  });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  return order;
}

TEST(Process, ADelayPointDelaysOnlyByChoiceAndIfAllowed) {
  testing::Plain plain;
  Delays never(0);
  Delays briefly(1);
  Delays for_long(5);
  const std::string all(20, 'b');
  EXPECT_EQ(order_with(plain, true), "a" + all);
  const std::size_t soon = order_with(never, true).find('a');
  EXPECT_EQ(order_with(for_long, false).find('a'), soon);
  EXPECT_GT(order_with(briefly, true).find('a'), soon);
  EXPECT_LT(order_with(briefly, true).find('a'), 8u);
  EXPECT_EQ(order_with(for_long, true), all + "a");
}

TEST(Process, ALoneDelayedTaskContinuesImmediately) {
  testing::Stage stage;
  Delays for_long(5);
  stage.begin(for_long);
  stage.scheduler.pace().allow_delays();
  stage.scheduler.spawn("alone", [&] { stage.scheduler.delay_point("between_peers"); });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_LT(stage.scheduler.now(), 4u);
}

// ---- the actor --------------------------------------------------------------------------------

std::vector<std::uint32_t> turns_of_ranks;

/// Two ranks of a process each, with a progress task that is spawned later, and a named point.
void drive_ranks(Scene& scene) {
  turns_of_ranks.clear();
  Scheduler& scheduler = scene.world().scheduler;
  for (std::uint16_t rank = 0; rank < 2; ++rank) {
    const ProcessScope process(scheduler, ProcessId{rank});
    scheduler.spawn("rank", [&scheduler, rank] {
      scheduler.spawn("progress", [&scheduler, rank] {
        for (int i = 0; i < 8; ++i) {
          scheduler.turn({});
          turns_of_ranks.push_back(rank);
        }
      });
      scheduler.delay_point("between_peers");
    });
  }
}

/// Answers what the skew actor asks of each process with `ratios`, and counts delays that are
/// asked.
class Skews : public Strategy {
 public:
  explicit Skews(std::array<std::uint32_t, 2> ratios) : ratios_(ratios) {}
  std::uint32_t answer(const Question& question) override {
    if (question.site == Site::skew) return ratios_[counts_.skews++ % 2];
    if (question.site == Site::delay) ++counts_.delays;
    return question.site == Site::schedule ? question.option_count - 1 : 0;
  }
  struct Counts {
    int skews = 0;
    int delays = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  std::array<std::uint32_t, 2> ratios_;
  Counts counts_;
};

TEST(Process, TheSkewActorAsksOncePerProcessAndAllowsDelays) {
  Scenario ranks = testing::toy::scenario;
  ranks.drive = drive_ranks;
  ranks.window_of = nullptr;
  Skews strategy({4, 0});
  Runner runner;
  runner.run(ranks, 0, {}, testing::toy::no_device, strategy);
  EXPECT_EQ(strategy.counts().skews, 2);
  EXPECT_EQ(strategy.counts().delays, 2);
  ASSERT_EQ(turns_of_ranks.size(), 16u);
  EXPECT_EQ(turns_of_ranks.back(), 0u);  // The slow one's progress task is slow too.
  EXPECT_EQ(std::count(turns_of_ranks.begin(), turns_of_ranks.begin() + 8, 1u), 8);
}

}  // namespace
}  // namespace harness
