// SPDX-License-Identifier: Apache-2.0
// The choice of causes, by hand: the smallest and narrowest set of repairs that explains all
// findings.
#include "harness/search/triage/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Costs = std::vector<unsigned>;
using Offers = std::vector<std::vector<RepairOption>>;

/// The findings of each repair that is chosen.
std::map<std::size_t, std::vector<std::size_t>> chosen(const Costs& costs, const Offers& offers) {
  std::map<std::size_t, std::vector<std::size_t>> all;
  for (const Explained& one : choose_causes(costs, offers)) all[one.repair] = one.findings;
  return all;
}

TEST(TriageChoice, OneCommonRepairIsBetterThanSeveral) {
  const Offers offers{{{0}, {2}}, {{1}, {2}}};
  EXPECT_THAT(chosen({2, 2, 3}, offers), ElementsAre(Pair(2, ElementsAre(0, 1))));
  EXPECT_THAT(chosen({2, 2, 5}, offers),
              ElementsAre(Pair(0, ElementsAre(0)), Pair(1, ElementsAre(1))));
}

TEST(TriageChoice, AMemberBelongsToTheLargestCause) {
  const Offers offers{{{0}}, {{0}, {1}}, {{0}, {1}}, {{1}}, {{0}}};
  EXPECT_THAT(chosen({2, 2}, offers),
              ElementsAre(Pair(0, ElementsAre(0, 1, 2, 4)), Pair(1, ElementsAre(3))));
}

TEST(TriageChoice, TiesPreferARepairOfTheFaultsObjectThenTheFirst) {
  EXPECT_THAT(chosen({2, 2}, {{{0}, {1}}}), ElementsAre(Pair(0, ElementsAre(0))));
  EXPECT_THAT(chosen({2, 2}, {{{0}, {1, true}}}), ElementsAre(Pair(1, ElementsAre(0))));
}

// Repair 0 is chosen first, as it explains most for its cost, and leaves a finding to each of 1 and
// 2. Repair 3 explains all of it: it costs less than the three together.
TEST(TriageChoice, ARepairReplacesSeveralThatCostMoreTogether) {
  const Offers offers{{{0}, {3}}, {{0}, {3}}, {{1}, {3}}, {{2}, {3}}};
  EXPECT_THAT(chosen({2, 2, 2, 5}, offers), ElementsAre(Pair(3, ElementsAre(0, 1, 2, 3))));
}

TEST(TriageChoice, AFindingWithoutACandidateHasNoCause) {
  EXPECT_THAT(chosen({}, {{}}), IsEmpty());
  EXPECT_THAT(chosen({2}, {{}, {{0}}}), ElementsAre(Pair(0, ElementsAre(1))));
}

TEST(TriageChoice, ResultsDoNotDependOnTheOrderOfFindings) {
  Offers offers{{{0}, {3}}, {{0}, {1}}, {{1}, {3}}, {{2}, {0}}, {{2}}, {{3}, {1}}};
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  const auto straight = chosen({2, 3, 2, 3}, offers);
  std::size_t count = 0;
  do {
    Offers other;
    for (const std::size_t one : order) other.push_back(offers[one]);
    auto crooked = chosen({2, 3, 2, 3}, other);
    for (auto& [repair, findings] : crooked) {
      for (std::size_t& finding : findings) finding = order[finding];
      std::sort(findings.begin(), findings.end());
    }
    ASSERT_EQ(crooked, straight);
    ++count;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(count, 720u);
}

}  // namespace
}  // namespace harness
