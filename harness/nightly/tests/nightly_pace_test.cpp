// SPDX-License-Identifier: Apache-2.0
// The pace of a shard: how its time is divided among its cells.
#include "harness/nightly/shard/pace.h"

#include <gtest/gtest.h>

namespace harness::nightly {
namespace {

constexpr double kPart = Pace::kCellsPart;

Cell sound(Budget budget, Budget tapes = {}) {
  return {"toy", "retain", "sound", 1, budget, tapes, ""};
}

Cell canary(double seconds) { return {"toy", "borrow", "unsound", 1, {0, seconds}, {}, ""}; }

/// The pace of a shard of four sound cells of ten seconds each.
Pace four_cells() {
  Pace pace;
  for (int i = 0; i < 4; ++i) pace.expect(sound({0, 10}));
  return pace;
}

/// Gives the next cell its turn, which takes this long. Returns the seconds of its search.
double take(Pace& pace, const Cell& cell, double seconds) {
  const double search = pace.next(cell).cell.budget.seconds;
  pace.took(cell, seconds);
  return search;
}

TEST(NightlyPace, AShardOnTimeUsesMostOfItsTime) {
  Pace pace = four_cells();
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(take(pace, sound({0, 10}), 10 * kPart), 10 * kPart);
}

TEST(NightlyPace, AnOverrunIsDeductedProportionally) {
  Pace pace = four_cells();
  take(pace, sound({0, 10}), 10 * kPart + 6);
  for (int i = 0; i < 3; ++i)
    EXPECT_DOUBLE_EQ(take(pace, sound({0, 10}), 10 * kPart - 2), 10 * kPart - 2);
}

TEST(NightlyPace, UnusedTimeGoesToTheOthers) {
  Pace pace = four_cells();
  take(pace, sound({0, 10}), 10 * kPart - 6);
  EXPECT_DOUBLE_EQ(take(pace, sound({0, 10}), 0), 10 * kPart + 2);
}

TEST(NightlyPace, TapesAreReducedProportionally) {
  Pace pace;
  pace.expect(sound({0, 30}, {0, 10}));
  pace.expect(sound({0, 30}, {0, 10}));
  take(pace, sound({0, 30}, {0, 10}), 40 * kPart + 20 * kPart);
  const Cell hurried = pace.next(sound({0, 30}, {0, 10})).cell;
  EXPECT_DOUBLE_EQ(hurried.budget.seconds, 15 * kPart);
  EXPECT_DOUBLE_EQ(hurried.tapes_budget.seconds, 5 * kPart);
}

TEST(NightlyPace, EachCellIsSearchedHoweverLate) {
  Pace pace = four_cells();
  for (int i = 0; i < 4; ++i)
    EXPECT_GE(take(pace, sound({0, 10}), 1e3), 9.999 * kPart * Pace::kLeastShare);
}

TEST(NightlyPace, CanariesCannotUseTheTimeOfSoundVariants) {
  Pace pace;
  for (int i = 0; i < 8; ++i) pace.expect(canary(2.5));
  for (int i = 0; i < 4; ++i) pace.expect(sound({0, 20}));
  for (int i = 0; i < 8; ++i) take(pace, canary(2.5), 100);
  double searched = 0;
  for (int i = 0; i < 4; ++i) searched += take(pace, sound({0, 20}), 20 * kPart);
  EXPECT_GE(searched, 0.7 * 100) << "of 100 seconds in all";
}

TEST(NightlyPace, ACanaryReservesTimeForItsFindings) {
  Pace pace;
  pace.expect(canary(10));
  pace.expect(canary(10));
  const Pace::Turn first = pace.next(canary(10));
  EXPECT_DOUBLE_EQ(first.cell.budget.seconds, 10 * kPart * Pace::kCanarySearch);
  EXPECT_DOUBLE_EQ(first.seconds, 10 * kPart);
  pace.took(canary(10), 10 * kPart * Pace::kCanarySearch);
  const Pace::Turn second = pace.next(canary(10));
  EXPECT_DOUBLE_EQ(second.cell.budget.seconds, first.cell.budget.seconds);
  EXPECT_GT(second.seconds, first.seconds) << "it may use what the first one left";
}

TEST(NightlyPace, AMissingBuildGivesItsTimeToTheOthers) {
  Pace pace;
  pace.expect(sound({0, 30}));
  pace.expect(sound({0, 10}), true);
  EXPECT_DOUBLE_EQ(take(pace, sound({0, 30}), 0), 40 * kPart);
}

TEST(NightlyPace, AllShardsAreEquallyLong) {
  Pace pace(0.5);
  pace.expect(sound({0, 30}));
  pace.expect(sound({0, 10}));
  EXPECT_DOUBLE_EQ(take(pace, sound({0, 30}), 15 * kPart), 15 * kPart);
  EXPECT_DOUBLE_EQ(take(pace, sound({0, 10}), 5 * kPart), 5 * kPart);
}

TEST(NightlyPace, BudgetsInRunsAreUnchanged) {
  Pace pace;
  pace.expect(sound({500, 0}, {7, 0}));
  const Pace::Turn turn = pace.next(sound({500, 0}, {7, 0}));
  EXPECT_EQ(turn.cell, sound({500, 0}, {7, 0}));
  EXPECT_EQ(turn.seconds, 0) << "no limit";
}

}  // namespace
}  // namespace harness::nightly
