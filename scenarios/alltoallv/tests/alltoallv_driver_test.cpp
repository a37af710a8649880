// SPDX-License-Identifier: Apache-2.0
// The ops that the driver offers, and the resulting plan.
#include <gtest/gtest.h>

#include "harness/run/tests/scripted_scene.h"
#include "scenarios/alltoallv/player.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

constexpr Situation kAnythingGoes{.rank_count = 3, .begun = true, .posted = true, .persistent = 1};

TEST(AlltoallvDriver, TheDefaultThemeOffersEveryPossibleOp) {
  Situation two_teams = kAnythingGoes;
  two_teams.two_teams = true;
  EXPECT_EQ(applicable(kAnythingGoes) | applicable(two_teams), (Ops{1} << kOps.size()) - 1);
  EXPECT_EQ(offer(themes()[0], kAnythingGoes), applicable(kAnythingGoes));
  EXPECT_FALSE(themes()[0].renews);
}

TEST(AlltoallvDriver, EveryThemeHasACollective) {
  for (const Theme& theme : themes())
    EXPECT_NE(offer(theme, {.rank_count = 2}) & ops(Op::alltoallv), 0u) << theme.name.view();
}

/// Returns the plan of three ranks for the scene's program.
Plan plan_of(harness::testing::ScriptedScene& scripted, const Shape& shape) {
  return Player(scripted.scene(), themes()[0], 3).make_plan(shape);
}

TEST(AlltoallvDriver, EveryOpPlansAStepOfItsSlot) {
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    const auto op = static_cast<Op>(i);
    const Op before = op == Op::end_team ? Op::second_team : Op::persistent;
    harness::testing::ScriptedScene scripted(scenario, Program().script(before).script(op).tape());
    const Plan plan = plan_of(scripted, {.slots = 2});
    ASSERT_EQ(plan.size(), 2u) << kOps[i].name.view();
    EXPECT_EQ(plan[1].op, op);
    EXPECT_EQ(plan[1].slot, 1u);
  }
}

TEST(AlltoallvDriver, OnlyAJobWithoutAPostGetsAClosingCollective) {
  for (const auto& [first, steps] : {std::pair(Op::init_only, 2u), std::pair(Op::alltoall, 1u)}) {
    harness::testing::ScriptedScene scripted(scenario,
                                             Program().script(first).script(Op::alltoallv).tape());
    EXPECT_EQ(plan_of(scripted, {.slots = 1, .closing_slots = 1}).size(), steps);
  }
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
