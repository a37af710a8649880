// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace harness::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Tape decisions(std::uint32_t count) {
  Tape tape;
  for (std::uint32_t i = 1; i <= count; ++i) tape.push_back({i, 1, 0, i});
  return tape;
}

std::vector<std::uint32_t> values(const Tape& tape) {
  std::vector<std::uint32_t> found;
  for (const Decision& decision : tape) found.push_back(decision.value);
  return found;
}

bool has(const Tape& tape, std::uint32_t value) {
  return std::any_of(tape.begin(), tape.end(),
                     [&](const Decision& decision) { return decision.value == value; });
}

TEST(ClientShrink, NothingIsLeftWhereNothingIsNeeded) {
  EXPECT_THAT(shrink(decisions(9), [](const Tape&) { return true; }, 100), IsEmpty());
}

TEST(ClientShrink, WhatIsNeededIsLeftWhereverItStands) {
  for (std::uint32_t needed = 1; needed <= 17; ++needed) {
    const auto shows = [&](const Tape& tape) { return has(tape, needed); };
    EXPECT_THAT(values(shrink(decisions(17), shows, 1000)), ElementsAre(needed));
  }
}

TEST(ClientShrink, ThreeThatStandApartAreFoundInTheirOrder) {
  const auto shows = [](const Tape& tape) {
    return has(tape, 2) && has(tape, 31) && has(tape, 64);
  };
  EXPECT_THAT(values(shrink(decisions(64), shows, 1000)), ElementsAre(2, 31, 64));
}

TEST(ClientShrink, NothingOfTheRestCanBeLeftOutAlone) {
  // Five of the even ones are needed, whichever.
  const auto shows = [](const Tape& tape) {
    return std::count_if(tape.begin(), tape.end(),
                         [](const Decision& one) { return one.value % 2 == 0; }) >= 5;
  };
  const Tape least = shrink(decisions(40), shows, 1000);
  EXPECT_EQ(least.size(), 5u);
  EXPECT_TRUE(shows(least));
}

TEST(ClientShrink, StopsAskingAtTheLimitWithSomethingThatShows) {
  std::uint64_t asked = 0;
  const auto shows = [&](const Tape& tape) {
    ++asked;
    return has(tape, 5) && has(tape, 90);
  };
  const Tape rest = shrink(decisions(100), shows, 7);
  EXPECT_LE(asked, 7u);
  EXPECT_TRUE(has(rest, 5) && has(rest, 90));
}

TEST(ClientShrink, OneDecisionThatIsNeededStays) {
  const auto shows = [](const Tape& tape) { return !tape.empty(); };
  EXPECT_THAT(values(shrink(decisions(1), shows, 100)), ElementsAre(1));
}

}  // namespace
}  // namespace harness::client
