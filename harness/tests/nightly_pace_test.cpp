// The pace of a shard: cells that come have less time where earlier ones took more.
#include "harness/nightly/shard/pace.h"

#include <gtest/gtest.h>

namespace harness::nightly {
namespace {

Cell cell_of(Budget budget, Budget tapes = {}) {
  return {"toy", "retain", "sound", 1, budget, tapes, ""};
}

/// The pace of a shard of four cells of ten seconds each.
Pace four_cells() {
  Pace pace;
  for (int i = 0; i < 4; ++i) pace.expect(cell_of({0, 10}));
  return pace;
}

TEST(NightlyPace, AShardOnTimeLosesNothing) {
  Pace pace = four_cells();
  for (const double spent : {0, 10, 20, 30})
    EXPECT_EQ(pace.next(cell_of({0, 10}), spent), cell_of({0, 10}));
}

TEST(NightlyPace, AShardThatIsEarlyGivesNothingAway) {
  Pace pace = four_cells();
  pace.next(cell_of({0, 10}), 0);
  EXPECT_EQ(pace.next(cell_of({0, 10}), 1), cell_of({0, 10}));
}

TEST(NightlyPace, WhatOneTakesTooLongTheOthersMakeUpForInProportion) {
  Pace pace = four_cells();
  pace.next(cell_of({0, 10}), 0);
  EXPECT_DOUBLE_EQ(pace.next(cell_of({0, 10}), 16).budget.seconds, 8);
  EXPECT_DOUBLE_EQ(pace.next(cell_of({0, 10}), 24).budget.seconds, 8);
  EXPECT_DOUBLE_EQ(pace.next(cell_of({0, 10}), 32).budget.seconds, 8) << "it ends after 40 s";
}

TEST(NightlyPace, TapesLoseAsMuch) {
  Pace pace;
  pace.expect(cell_of({0, 30}, {0, 10}));
  pace.expect(cell_of({0, 30}, {0, 10}));
  pace.next(cell_of({0, 30}, {0, 10}), 0);
  const Cell hurried = pace.next(cell_of({0, 30}, {0, 10}), 60);
  EXPECT_DOUBLE_EQ(hurried.budget.seconds, 15);
  EXPECT_DOUBLE_EQ(hurried.tapes_budget.seconds, 5);
}

TEST(NightlyPace, EachIsSearchedHoweverLateItIs) {
  Pace pace = four_cells();
  for (const double spent : {1e3, 1e4, 1e5, 1e6})
    EXPECT_DOUBLE_EQ(pace.next(cell_of({0, 10}), spent).budget.seconds, 10 * Pace::kLeastShare);
}

TEST(NightlyPace, CanariesHaveWhatWasPlanned) {
  Cell canary = cell_of({0, 10});
  canary.claim = "unsound";
  Pace pace;
  for (const Cell& cell : {cell_of({0, 10}), canary, cell_of({0, 10}), canary}) pace.expect(cell);
  pace.next(cell_of({0, 10}), 0);
  EXPECT_EQ(pace.next(canary, 12), canary);
  EXPECT_DOUBLE_EQ(pace.next(cell_of({0, 10}), 25).budget.seconds, 5);
  EXPECT_EQ(pace.next(canary, 30), canary) << "and it ends after 40 s";
}

TEST(NightlyPace, RunsAreLeftAsTheyAre) {
  Pace pace;
  pace.expect(cell_of({500, 0}, {7, 0}));
  EXPECT_EQ(pace.next(cell_of({500, 0}, {7, 0}), 1e6), cell_of({500, 0}, {7, 0}));
}

TEST(NightlyPace, ACellThatIsSearchedAgainHasItsTime) {
  Pace pace;
  EXPECT_EQ(pace.next(cell_of({0, 10}), 0), cell_of({0, 10})) << "nobody told of it";
}

}  // namespace
}  // namespace harness::nightly
