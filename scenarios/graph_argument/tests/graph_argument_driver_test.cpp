// SPDX-License-Identifier: Apache-2.0
// The ops that the driver offers, and when.
#include <gtest/gtest.h>

#include "harness/run/tests/tape_survival.h"
#include "scenarios/graph_argument/enabled_ops.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"

namespace scenarios::graph_argument::testing {
namespace {

TEST(GraphArgumentDriver, TheDefaultThemeOffersEveryPossibleOp) {
  Situation now;
  now.census = {.buffers = kBufferVariables, .modules = kModuleVariables};
  for (const std::uint32_t task : {0u, 1u})
    EXPECT_EQ(offer(themes()[0], task, now), applicable(now));
  for (const Theme& theme : themes())
    EXPECT_EQ(offer(theme, 0, now) & ~applicable(now), 0u) << theme.name.view();
}

TEST(GraphArgumentDriver, EveryThemeLeadsToANode) {
  Situation now;
  now.census = {.buffers = kBufferVariables,
                .modules = kModuleVariables,
                .definitions = kDefinitionVariables};
  for (const Theme& theme : themes())
    EXPECT_NE(offer(theme, 0, now) & ops(Op::add_kernel, Op::add_memset, Op::add_child), 0u)
        << theme.name.view();
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

// The model knows what an executable refers to after one failed update, and after two.
TEST(GraphArgumentUpdates, ModelTracksArgumentsAfterTwoFailedUpdates) {
  Program program;
  program.script(Op::add_kernel, {0, 0, 0, 2}).script(Op::instantiate).script(Op::add_memset);
  program.script(Op::update).script(Op::update).script(Op::update_node, {0, 0, 2});
  program.script(Op::drop, {2}).script(Op::launch).script(Op::synchronize);
  program.then(1, Op::launch, {0, 1}).then(1, Op::drop, {19});
  harness::Runner runner;
  constexpr const char* kConfig = "default_stream=per_thread collector=eval_breaker";
  const harness::Proof proof = harness::prove(
      runner, make_case("retain_per_node", kConfig, program), 1, {.run_limit = 20'000});
  EXPECT_TRUE(proof.complete && !proof.failed && !proof.vacuous) << proof.run_count;
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
