// SPDX-License-Identifier: Apache-2.0
// The ops that the driver offers, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/tape_survival.h"
#include "scenarios/argpack/enabled_ops.h"
#include "scenarios/argpack/tests/argpack_cases.h"
#include "scenarios/argpack/windows.h"

namespace scenarios::argpack::testing {
namespace {

TEST(ArgpackDriver, TheDefaultThemeOffersEveryPossibleOp) {
  Situation now;
  now.census = {.packs = kPackVariables, .arrays = kArrayVariables};
  const Ops possible = applicable(now) & ~kOnlyClosing;
  for (const std::uint32_t task : {0u, 1u}) EXPECT_EQ(offer(themes()[0], task, now), possible);
  for (const Theme& theme : themes())
    EXPECT_EQ(offer(theme, 0, now) & ~possible, 0u) << theme.name.view();
}

TEST(ArgpackDriver, EveryThemeBeginsWithAPack) {
  for (const Theme& theme : themes())
    EXPECT_NE(offer(theme, 0, Situation{}) & ops(Op::new_argpack), 0u) << theme.name.view();
}

TEST(ArgpackDriver, WithoutAPackThereIsNothingToCall) {
  EXPECT_EQ(applicable(Situation{}) & ops(Op::call, Op::make_context, Op::launch, Op::drop), 0u);
}

// ---- reached windows ----------------------------------------------------------------------------

struct Coverage {
  std::uint64_t runs = 0;
  std::uint64_t idle = 0;  ///< No kernel was submitted.
  std::array<std::uint64_t, kOpCount> ops{};
  std::array<std::uint64_t, kWindowCount> windows{};

  double share(std::uint64_t count) const { return double(count) / double(runs); }
};

bool launches(const harness::History& history) {
  const auto& events = history.events();
  return std::any_of(events.begin(), events.end(), [](const harness::Event& event) {
    return event.kind == harness::EventKind::submit &&
           (event.what == harness::Label("walk_packs") ||
            event.what == harness::Label("read_bound"));
  });
}

Coverage cover(std::string_view variant, std::uint64_t runs) {
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  Coverage coverage;
  for (; coverage.runs < runs; ++coverage.runs) {
    const harness::Config config =
        harness::config_at(scenario, coverage.runs % config_count(scenario));
    const harness::Outcome& outcome =
        runner.run(scenario, variant_named(variant), config, sim(), walk);
    coverage.idle += !launches(runner.history());
    for (std::size_t i = 0; i < kOpCount; ++i) coverage.ops[i] += outcome.ops >> i & 1;
    for (std::size_t i = 0; i < coverage.windows.size(); ++i)
      coverage.windows[i] += outcome.reached >> i & 1;
  }
  return coverage;
}

TEST(ArgpackDriver, MostRunsReachALaunchAndEveryOpAndWindowOccurs) {
  const Coverage coverage = cover("own", 8000);
  std::cout << "never get to a launch: " << 100 * coverage.share(coverage.idle) << " % of runs\n";
  EXPECT_LE(coverage.share(coverage.idle), 0.10);
  for (std::size_t i = 0; i < kOpCount; ++i)
    EXPECT_GE(coverage.share(coverage.ops[i]), 0.005) << kOps[i].name.view();
  for (std::size_t i = 0; i < coverage.windows.size(); ++i)
    EXPECT_GE(coverage.share(coverage.windows[i]), 0.005) << scenario.windows[i].name.view();
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
