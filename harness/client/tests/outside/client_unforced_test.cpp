// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/unforced.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace harness::client {
namespace {

using ::testing::ElementsAre;

AskedQuestion question(Name name, Site site = Site::collect, std::uint32_t value = 1) {
  return {name, site, 0, {value}};
}
Decision decision(Name name, Site site = Site::collect, std::uint32_t value = 1) {
  return {name, site_tag(site), 0, value};
}
constexpr Name forced(Name name) { return force_name(name); }

bool has(const Tape& tape, const Decision& one) {
  return std::ranges::find(tape, one) != tape.end();
}

TEST(ClientUnforced, OfATapeThatShowsItWithoutForceNothingForcedIsLeft) {
  const Tape tape{decision(forced(1)), decision(2), decision(forced(3)), decision(4)};
  const auto shows = [](const Tape& part) { return has(part, decision(2)); };
  EXPECT_THAT(shrink_forced(tape, shows, 100), ElementsAre(decision(2), decision(4)));
}

TEST(ClientUnforced, WhatIsForcedAndNeededStaysInItsPlace) {
  const Tape tape{decision(forced(1)), decision(2), decision(forced(3)), decision(forced(4))};
  const auto shows = [](const Tape& part) { return has(part, decision(forced(3))); };
  EXPECT_THAT(shrink_forced(tape, shows, 100), ElementsAre(decision(2), decision(forced(3))));
}

TEST(ClientUnforced, WhereNothingIsForcedNobodyIsAsked) {
  const Tape tape{decision(1), decision(2)};
  const auto shows = [](const Tape&) { return ADD_FAILURE() << "asked", false; };
  EXPECT_EQ(shrink_forced(tape, shows, 100), tape);
}

TEST(ClientUnforced, APossibleDecisionOfItsKindTakesThePlaceOfAForcedOne) {
  const std::vector<AskedQuestion> asked{question(1), question(2, Site::reuse), question(forced(2)),
                                         question(forced(3)), question(4)};
  const auto shows = [](const Tape& part) {
    return has(part, decision(4)) || has(part, decision(forced(2)));
  };
  EXPECT_THAT(replace_forced({decision(forced(2))}, asked, shows), ElementsAre(decision(4)));
}

TEST(ClientUnforced, OneOfAnotherSiteOrWithoutItsAnswerDoesNot) {
  const std::vector<AskedQuestion> asked{question(1, Site::schedule, 7), question(2),
                                         question(4, Site::reuse, 8),
                                         question(forced(3), Site::schedule, 8)};
  const Tape tape{decision(forced(3), Site::schedule, 8)};
  const auto shows = [](const Tape&) { return true; };
  EXPECT_EQ(replace_forced(tape, asked, shows), tape);
}

TEST(ClientUnforced, TheNearestIsTriedFirstAndNoneThatIsAnswered) {
  const std::vector<AskedQuestion> asked{question(1),         question(2), question(3),
                                         question(forced(9)), question(5), question(6)};
  std::vector<Name> tried;
  const auto shows = [&](const Tape& part) {
    tried.push_back(part.back().activation);
    return false;
  };
  replace_forced({decision(3), decision(forced(9))}, asked, shows);
  EXPECT_THAT(tried, ElementsAre(5, 2, 6, 1));
}

}  // namespace
}  // namespace harness::client
