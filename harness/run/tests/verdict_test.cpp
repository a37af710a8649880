// SPDX-License-Identifier: Apache-2.0
// The verdict on a claim, for every kind of claim and every result of the runs.
#include "harness/run/verdict.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace harness {
namespace {

constexpr Label kOne[] = {"dropped"};
constexpr Label kTwo[] = {"dropped", "replaced"};
constexpr Claim kSound{ClaimKind::sound, {}};
constexpr Claim kUnsound{ClaimKind::unsound, kOne};
constexpr Claim kVacuous{ClaimKind::vacuous, {}};

constexpr std::array kAll{Verdict::caught,  Verdict::missed,  Verdict::held,
                          Verdict::refuted, Verdict::vacuous, Verdict::too_few_runs};

constexpr Tally kPlenty{1000, 100, 0};
constexpr Tally kFaulty{1, 0, 1};

Verdict judge_all(const Claim& claim, std::initializer_list<Tally> configs) {
  return judge(claim, std::span(configs.begin(), configs.size()));
}

TEST(Verdict, OneRunWithAFaultIsEnough) {
  EXPECT_EQ(judge_all(kSound, {kFaulty}), Verdict::refuted);
  EXPECT_EQ(judge_all(kVacuous, {kFaulty}), Verdict::refuted);
  EXPECT_EQ(judge_all(kUnsound, {kFaulty}), Verdict::caught);
  EXPECT_EQ(judge_all(kSound, {kPlenty, kPlenty, kFaulty}), Verdict::refuted);
  EXPECT_EQ(judge_all(kUnsound, {kFaulty, {}}), Verdict::caught);
}

TEST(Verdict, EnoughRunsWithoutAFaultAreHeldOrMissed) {
  EXPECT_EQ(judge_all(kSound, {kPlenty, {40, 10, 0}}), Verdict::held);
  EXPECT_EQ(judge_all(kUnsound, {kPlenty, {40, 10, 0}}), Verdict::missed);
}

TEST(Verdict, EveryConfigNeedsThirtyNonvacuousRuns) {
  for (const Claim& claim : {kSound, kUnsound}) {
    EXPECT_EQ(judge_all(claim, {kPlenty, {39, 10, 0}}), Verdict::too_few_runs);
    EXPECT_EQ(judge_all(claim, {{29, 0, 0}}), Verdict::too_few_runs);
    EXPECT_EQ(judge_all(claim, {kPlenty, {1000, 1000, 0}}), Verdict::too_few_runs);
    EXPECT_EQ(judge_all(claim, {kPlenty, {}}), Verdict::too_few_runs);
    EXPECT_EQ(judge_all(claim, {}), Verdict::too_few_runs);
  }
}

TEST(Verdict, VacuousNeedsEnoughRunsToo) {
  for (const Claim& claim : {kSound, kUnsound, kVacuous}) {
    EXPECT_EQ(judge_all(claim, {{30, 30, 0}, {50, 50, 0}}), Verdict::vacuous);
    EXPECT_EQ(judge_all(claim, {{30, 30, 0}, {29, 29, 0}}), Verdict::too_few_runs);
  }
}

TEST(Verdict, ANonvacuousRunRefutesAVacuousClaim) {
  EXPECT_EQ(judge_all(kVacuous, {{1, 0, 0}}), Verdict::refuted);
  EXPECT_EQ(judge_all(kVacuous, {{1000, 999, 0}, {1000, 1000, 0}}), Verdict::refuted);
}

TEST(Verdict, OnlyTheClaimedVerdictIsAsClaimed) {
  for (const Verdict verdict : kAll) {
    EXPECT_EQ(as_claimed(kSound, verdict), verdict == Verdict::held);
    EXPECT_EQ(as_claimed(kUnsound, verdict), verdict == Verdict::caught);
    EXPECT_EQ(as_claimed(kVacuous, verdict), verdict == Verdict::vacuous);
  }
}

TEST(Verdict, EveryVerdictIsInTheSchema) {
  std::ifstream file("results/schema.json");
  const auto forms = nlohmann::json::parse(file)["$defs"];
  std::vector<std::string> words;
  words.reserve(std::size(kAll));
  for (const Verdict verdict : kAll) words.emplace_back(to_label(verdict).view());
  EXPECT_EQ(forms["verdict"]["enum"], words);
}

TEST(Verdict, TheConfigWithTheFewestRunsCounts) {
  const Tally tallies[] = {kPlenty, {40, 25, 0}, {90, 0, 0}};
  EXPECT_EQ(least_runs(kSound, tallies), 15u);
  EXPECT_EQ(least_runs(kVacuous, tallies), 40u);
}

TEST(Verdict, AClaimIsUnsoundOnlyForTheWindowsItNames) {
  const Claim claim{ClaimKind::unsound, kTwo};
  EXPECT_EQ(claim_in(claim, "replaced").kind, ClaimKind::unsound);
  ASSERT_EQ(claim_in(claim, "replaced").hazards.size(), 1u);
  EXPECT_TRUE(claim_in(claim, "replaced").hazards[0] == "replaced");
  EXPECT_EQ(claim_in(claim, "closed").kind, ClaimKind::sound);
  EXPECT_EQ(claim_in(kVacuous, "dropped").kind, ClaimKind::vacuous);
  EXPECT_TRUE(names(claim, "dropped"));
  EXPECT_FALSE(names(claim, "closed"));
}

TEST(Verdict, AHazardWithAWayInMatchesThatWayOnly) {
  static constexpr Label kWays[] = {"dropped/kernel", "replaced"};
  const Claim claim{ClaimKind::unsound, kWays};
  EXPECT_TRUE(names(claim, "dropped"));
  EXPECT_TRUE(names(claim, "dropped", "kernel"));
  EXPECT_FALSE(names(claim, "dropped", "context"));
  EXPECT_TRUE(names(claim, "replaced", "context"));
  EXPECT_FALSE(names(claim, "drop"));
  EXPECT_EQ(claim_in(claim, "dropped").hazards.size(), 1u);
  EXPECT_EQ(claim_in(claim, "dropped").kind, ClaimKind::unsound);
}

constexpr std::uint64_t kMany = kEnoughArrivals;

TEST(Verdict, AClaimedWindowIsOpenAfterOneFaultAndElseMissed) {
  EXPECT_EQ(stand(true, {.reached = 1, .caught = 1, .first = 1}), Standing::open);
  EXPECT_EQ(stand(true, {.reached = kMany}), Standing::missed);
  EXPECT_EQ(stand(true, {.reached = kMany - 1}), Standing::too_few_runs);
  EXPECT_EQ(stand(true, {}), Standing::never_reached);
}

TEST(Verdict, AnotherWindowIsOutsideAfterOneFaultAndElseClosed) {
  EXPECT_EQ(stand(false, {.reached = kMany}), Standing::closed);
  EXPECT_EQ(stand(false, {.reached = kMany - 1}), Standing::too_few_runs);
  EXPECT_EQ(stand(false, {}), Standing::never_reached);
  EXPECT_EQ(stand(false, {.reached = kMany, .caught = 1, .first = 1}), Standing::outside);
  EXPECT_EQ(stand(false, {.reached = kMany, .caught = 1}), Standing::follows);
}

TEST(Verdict, RefusalsAndTheContractExplainAWindowWithoutAFault) {
  EXPECT_EQ(stand(false, {.reached = 3, .refused = 3}), Standing::refused);
  EXPECT_EQ(stand(false, {.reached = kMany, .refused = 3}), Standing::closed)
      << "not all were refused";
  EXPECT_EQ(stand(false, {.reached = kMany, .contract = 3}, true), Standing::contract);
  EXPECT_EQ(stand(false, {.reached = kMany, .caught = 1, .first = 1, .refused = kMany}, true),
            Standing::outside);
  EXPECT_EQ(stand(true, {.reached = kMany, .refused = kMany}), Standing::missed);
}

TEST(Verdict, TwoStandingsRefuteAClaim) {
  EXPECT_TRUE(refutes(Standing::missed));
  EXPECT_TRUE(refutes(Standing::outside));
  for (const Standing standing :
       {Standing::open, Standing::closed, Standing::refused, Standing::contract,
        Standing::too_few_runs, Standing::never_reached, Standing::follows})
    EXPECT_FALSE(refutes(standing)) << to_label(standing).view();
}

}  // namespace
}  // namespace harness
