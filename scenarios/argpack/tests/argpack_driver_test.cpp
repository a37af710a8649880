// What the driver offers, and when.
#include <gtest/gtest.h>

#include "harness/tests/tape_survival.h"
#include "scenarios/argpack/offer.h"
#include "scenarios/argpack/tests/argpack_cases.h"

namespace scenarios::argpack::testing {
namespace {

TEST(ArgpackDriver, ThePlainThemeOffersEverythingThatIsPossible) {
  Situation now;
  now.census = {.packs = kPackVariables, .arrays = kArrayVariables};
  for (const std::uint32_t task : {0u, 1u}) EXPECT_EQ(offer(theme(0), task, now), applicable(now));
  for (std::uint32_t index = 1; index < kThemeCount; ++index)
    EXPECT_EQ(offer(theme(index), 0, now) & ~applicable(now), 0u);
}

TEST(ArgpackDriver, EveryThemeBeginsWithAPack) {
  for (std::uint32_t index = 0; index < kThemeCount; ++index)
    EXPECT_NE(offer(theme(index), 0, Situation{}) & ops(Op::new_argpack), 0u) << index;
}

TEST(ArgpackDriver, WithoutAPackThereIsNothingToCall) {
  EXPECT_EQ(applicable(Situation{}) & ops(Op::call, Op::make_context, Op::launch, Op::drop), 0u);
}

TEST(ArgpackDriver, NineteenOfTwentyDecisionsSurviveTheDeletionOfAnOp) {
  harness::Runner runner;
  const auto survival =
      harness::testing::measure_survival(runner, scenario, variant_named("borrow"), sim(), 1000);
  EXPECT_EQ(survival.tapes, 1000u);
  EXPECT_GE(survival.share(), 0.95) << survival.met << " of " << survival.decisions;
}

}  // namespace
}  // namespace scenarios::argpack::testing
