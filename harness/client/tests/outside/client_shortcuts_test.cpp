// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/shortcuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace harness::client {
namespace {

using ::testing::ElementsAre;

/// At this place of the program, this many times reached, this thread continues.
Decision turn(Name place, std::uint32_t thread) {
  return {place, site_tag(Site::schedule), 0, thread};
}

bool has(const Tape& tape, const Decision& wanted) {
  return std::find(tape.begin(), tape.end(), wanted) != tape.end();
}

TEST(ClientShortcuts, WhoGoesOnLaterGoesOnAtOnce) {
  // The second thread is at place 2 only if the first choice brought it there.
  const Tape run{turn(1, 5), turn(2, 7), turn(3, 9)};
  const auto shows = [](const Tape& tape) {
    return has(tape, turn(3, 9)) &&
           (has(tape, turn(1, 7)) || (has(tape, turn(1, 5)) && has(tape, turn(2, 7))));
  };
  EXPECT_THAT(take_shortcuts(run, run, shows, 100), ElementsAre(turn(1, 7), turn(3, 9)));
}

TEST(ClientShortcuts, AnotherThreadOfTheRunGoesOn) {
  const Tape run{turn(1, 5), turn(2, 6), turn(3, 7), turn(4, 8)};
  const Tape tape{turn(1, 5), turn(2, 6), turn(3, 7)};
  const auto shows = [](const Tape& part) {
    return has(part, turn(3, 8)) ||
           (has(part, turn(1, 5)) && has(part, turn(2, 6)) && has(part, turn(3, 7)));
  };
  EXPECT_THAT(take_shortcuts(tape, run, shows, 100), ElementsAre(turn(3, 8)));
}

TEST(ClientShortcuts, DecisionsOfOtherKindsAreLeftAsTheyAre) {
  const Decision lag{1, site_tag(Site::lag), 0, 1};
  const Decision reuse{2, site_tag(Site::reuse), 0, 2};
  std::uint64_t asked = 0;
  const auto shows = [&](const Tape& tape) { return ++asked, tape.size() == 2; };
  EXPECT_THAT(take_shortcuts({lag, reuse}, {lag, reuse}, shows, 100), ElementsAre(lag, reuse));
  EXPECT_EQ(asked, 0u);
}

TEST(ClientShortcuts, StopsAskingAtTheLimitWithSomethingThatShows) {
  Tape run;
  for (std::uint32_t i = 1; i <= 30; ++i) run.push_back(turn(i, i));
  std::uint64_t asked = 0;
  const auto shows = [&](const Tape& tape) { return ++asked, tape == run; };
  EXPECT_EQ(take_shortcuts(run, run, shows, 12), run);
  EXPECT_EQ(asked, 12u);
}

}  // namespace
}  // namespace harness::client
