// What the driver offers, and when.
#include <gtest/gtest.h>

#include "harness/tests/tape_survival.h"
#include "scenarios/graph_argument/offer.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"

namespace scenarios::graph_argument::testing {
namespace {

TEST(GraphArgumentDriver, ThePlainThemeOffersEverythingThatIsPossible) {
  Situation now;
  now.census = {.buffers = kBufferVariables, .modules = kModuleVariables};
  for (const std::uint32_t task : {0u, 1u}) EXPECT_EQ(offer(theme(0), task, now), applicable(now));
  for (std::uint32_t index = 1; index < kThemeCount; ++index)
    EXPECT_EQ(offer(theme(index), 0, now) & ~applicable(now), 0u);
}

TEST(GraphArgumentDriver, EveryThemeLeadsToANode) {
  Situation now;
  now.census = {.buffers = kBufferVariables,
                .modules = kModuleVariables,
                .definitions = kDefinitionVariables};
  for (std::uint32_t index = 0; index < kThemeCount; ++index)
    EXPECT_NE(offer(theme(index), 0, now) & ops(Op::add_kernel, Op::add_memset, Op::add_child), 0u)
        << index;
}

TEST(GraphArgumentDriver, WithoutADefinitionThereIsNothingToLaunch) {
  EXPECT_EQ(applicable(Situation{}) & ops(Op::add_kernel, Op::instantiate, Op::launch, Op::drop),
            0u);
}

TEST(GraphArgumentDriver, NineteenOfTwentyDecisionsSurviveTheDeletionOfAnOp) {
  harness::Runner runner;
  const auto survival =
      harness::testing::measure_survival(runner, scenario, variant_named("borrow"), sim(), 1000);
  EXPECT_EQ(survival.tapes, 1000u);
  EXPECT_GE(survival.share(), 0.95) << survival.met << " of " << survival.decisions;
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
