// Processes: who belongs to which, how fast one is, and where it may be held up.
#include <gtest/gtest.h>

#include "harness/tests/run_tasks.h"

namespace harness {
namespace {

constexpr ProcessId kSecond{1};

/// Delays with one option, and goes on with whoever has not just been there where it can.
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

TEST(Process, ATaskBelongsToThatOfWhoeverSpawnedIt) {
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

TEST(Process, ASlowOneIsSlowWithAllItsTasks) {
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
  stage.scheduler.set_skew(ProcessId::first, 64);
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_LT(ends[1], ends[0]);
}

/// What two tasks do, in order, where the first comes by a delay point.
std::string order_with(Strategy& strategy, bool allowed) {
  testing::Stage stage;
  stage.begin(strategy);
  std::string order;
  if (allowed) stage.scheduler.allow_delays();
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

TEST(Process, ADelayPointHoldsUpOnlyByAPickAndOnlyWhereAllowed) {
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

TEST(Process, OneThatIsHeldUpAloneGoesOnAtOnce) {
  testing::Stage stage;
  Delays for_long(5);
  stage.begin(for_long);
  stage.scheduler.allow_delays();
  stage.scheduler.spawn("alone", [&] { stage.scheduler.delay_point("between_peers"); });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
  EXPECT_LT(stage.scheduler.now(), 4u);
}

}  // namespace
}  // namespace harness
