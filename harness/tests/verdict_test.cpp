// How a claim comes out, for every kind of claim and every way in which the runs may have gone.
#include "harness/verdict.h"

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

TEST(Verdict, AFaultSpeaksForItselfAfterOneRun) {
  EXPECT_EQ(judge_all(kSound, {kFaulty}), Verdict::refuted);
  EXPECT_EQ(judge_all(kVacuous, {kFaulty}), Verdict::refuted);
  EXPECT_EQ(judge_all(kUnsound, {kFaulty}), Verdict::caught);
  EXPECT_EQ(judge_all(kSound, {kPlenty, kPlenty, kFaulty}), Verdict::refuted);
  EXPECT_EQ(judge_all(kUnsound, {kFaulty, {}}), Verdict::caught);
}

TEST(Verdict, NothingFoundInEnoughRunsOfEveryConfigIsHeldOrMissed) {
  EXPECT_EQ(judge_all(kSound, {kPlenty, {40, 10, 0}}), Verdict::held);
  EXPECT_EQ(judge_all(kUnsound, {kPlenty, {40, 10, 0}}), Verdict::missed);
}

TEST(Verdict, ThirtyRunsThatWereNotVacuousAreAskedOfEveryConfig) {
  for (const Claim& claim : {kSound, kUnsound}) {
    EXPECT_EQ(judge_all(claim, {kPlenty, {39, 10, 0}}), Verdict::too_few_runs);
    EXPECT_EQ(judge_all(claim, {{29, 0, 0}}), Verdict::too_few_runs);
    EXPECT_EQ(judge_all(claim, {kPlenty, {1000, 1000, 0}}), Verdict::too_few_runs);
    EXPECT_EQ(judge_all(claim, {kPlenty, {}}), Verdict::too_few_runs);
    EXPECT_EQ(judge_all(claim, {}), Verdict::too_few_runs);
  }
}

TEST(Verdict, VacuousTakesEnoughRunsToo) {
  for (const Claim& claim : {kSound, kUnsound, kVacuous}) {
    EXPECT_EQ(judge_all(claim, {{30, 30, 0}, {50, 50, 0}}), Verdict::vacuous);
    EXPECT_EQ(judge_all(claim, {{30, 30, 0}, {29, 29, 0}}), Verdict::too_few_runs);
  }
}

TEST(Verdict, ARunThatIsNotVacuousRefutesAClaimThatAllAre) {
  EXPECT_EQ(judge_all(kVacuous, {{1, 0, 0}}), Verdict::refuted);
  EXPECT_EQ(judge_all(kVacuous, {{1000, 999, 0}, {1000, 1000, 0}}), Verdict::refuted);
}

TEST(Verdict, OnlyWhatTheClaimAnnouncesIsAsClaimed) {
  for (const Verdict verdict : kAll) {
    EXPECT_EQ(as_claimed(kSound, verdict), verdict == Verdict::held);
    EXPECT_EQ(as_claimed(kUnsound, verdict), verdict == Verdict::caught);
    EXPECT_EQ(as_claimed(kVacuous, verdict), verdict == Verdict::vacuous);
  }
}

TEST(Verdict, EveryVerdictIsOneOfTheSchema) {
  std::ifstream file("results/schema.json");
  const auto forms = nlohmann::json::parse(file)["$defs"];
  std::vector<std::string> words;
  words.reserve(std::size(kAll));
  for (const Verdict verdict : kAll) words.emplace_back(to_label(verdict).view());
  EXPECT_EQ(forms["verdict"]["enum"], words);
}

TEST(Verdict, ThePoorestConfigCounts) {
  const Tally tallies[] = {kPlenty, {40, 25, 0}, {90, 0, 0}};
  EXPECT_EQ(least_runs(kSound, tallies), 15u);
  EXPECT_EQ(least_runs(kVacuous, tallies), 40u);
}

TEST(Verdict, AClaimSaysOfAWindowThatItNamesThatItFailsThereAndElseThatItHolds) {
  const Claim claim{ClaimKind::unsound, kTwo};
  EXPECT_EQ(claim_in(claim, "replaced").kind, ClaimKind::unsound);
  ASSERT_EQ(claim_in(claim, "replaced").hazards.size(), 1u);
  EXPECT_TRUE(claim_in(claim, "replaced").hazards[0] == "replaced");
  EXPECT_EQ(claim_in(claim, "closed").kind, ClaimKind::sound);
  EXPECT_EQ(claim_in(kVacuous, "dropped").kind, ClaimKind::vacuous);
  EXPECT_TRUE(names(claim, "dropped"));
  EXPECT_FALSE(names(claim, "closed"));
}

}  // namespace
}  // namespace harness
