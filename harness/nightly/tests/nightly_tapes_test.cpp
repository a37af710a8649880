// SPDX-License-Identifier: Apache-2.0
// Tapes kept across nights: their selection, their part of a plan, their replay in a shard, and
// merging in a history.
#include "harness/nightly/tapes/kept_tapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/nightly/history.h"
#include "harness/nightly/shard/shard.h"
#include "harness/nightly/tests/nightly_nights.h"
#include "harness/nightly/tests/nightly_stage.h"
#include "harness/nightly/tests/shard_services.h"
#include "harness/nightly/transfer.h"
#include "harness/run/tests/toy_scenario.h"

namespace harness {
namespace {

using nightly::Cell;
using nightly::History;
using nightly::KeptTape;
using nightly::Plan;
using nightly::ShortestTapes;
using nightly::VariantTapes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace toy = testing::toy;

using Words = std::vector<std::string>;

/// A tape of this many choices; equal numbers of them differ by `first`.
std::string tape_of(std::size_t decisions, std::uint64_t first = 1) {
  Tape tape;
  for (std::size_t i = 0; i < decisions; ++i) tape.push_back({first + i, 2, 3, 4});
  return nightly::to_text(tape);
}

std::string exported(History& history) {
  std::string text;
  nightly::export_history(history.database(), [&](const std::string& line) { text += line; });
  return text;
}

// ---- the shortest ----

TEST(NightlyTapes, ATapesTextRoundTrips) {
  const Tape tape{{~std::uint64_t{0}, 0xffff, 0, 7}, {1, 2, 3, 4}};
  EXPECT_EQ(nightly::parse_tape(nightly::to_text(tape)), tape);
  EXPECT_EQ(nightly::decision_count(nightly::to_text(tape)), 2u);
  EXPECT_EQ(nightly::parse_tape(""), Tape());
  for (const std::string& wrong : {std::string("12"), std::string(32, 'x'), std::string(32, ' ')})
    EXPECT_THROW(nightly::parse_tape(wrong), std::runtime_error) << wrong;
}

/// Returns a run that reports reached windows, a bit each.
Outcome run_to(std::uint64_t windows, std::size_t decisions) {
  Outcome outcome;
  for (std::size_t i = 0; i < WindowSet::kLimit; ++i)
    if ((windows >> i & 1) != 0) outcome.reached.insert(i);
  for (std::size_t i = 0; i < decisions; ++i) outcome.tape.push_back({i + 1, 1, 0, 1});
  return outcome;
}

TEST(NightlyTapes, TheShortestTapeIsKeptForEachFeature) {
  ShortestTapes shortest(toy::scenario);
  const Config config = config_at(toy::scenario, 0);
  shortest.take_in(run_to(3, 9), config);
  shortest.take_in(run_to(1, 4), config);
  shortest.take_in(run_to(1, 4), config_at(toy::scenario, 1));
  shortest.take_in(run_to(2, 9), config_at(toy::scenario, 1));
  const std::vector<KeptTape> kept = shortest.kept(9);
  ASSERT_THAT(kept, SizeIs(2));
  for (const KeptTape& one : kept) {
    EXPECT_THAT(one.features, SizeIs(1));
    EXPECT_EQ(one.config, to_string(toy::scenario, config)) << "of equal ones the first stays";
  }
  EXPECT_NE(kept[0].features, kept[1].features);
  EXPECT_THAT(shortest.kept(1), SizeIs(1));
}

TEST(NightlyTapes, EndlessRunsAndLongTapesAreNotKept) {
  ShortestTapes shortest(toy::scenario);
  Outcome endless = run_to(1, 4);
  endless.endless = true;
  shortest.take_in(endless, {});
  shortest.take_in(run_to(1, 100'000), {});
  EXPECT_THAT(shortest.kept(9), IsEmpty());
}

// ---- plans ----

const std::vector<VariantTapes> kTapes{
    {"elsewhere", "retain", {{"", tape_of(1), {"reaches x"}}}},
    {"toy", "borrow", {{"", tape_of(1), {"reaches a"}}, {"", tape_of(2), {"reaches b"}}}},
    {"toy", "retain", {{"", tape_of(3), {"reaches a"}}}}};

Plan plan_of(std::uint64_t runs, std::size_t shards = 1,
             const std::vector<VariantTapes>& tapes = kTapes) {
  return nightly::make_plan({.seed = 5, .budget = {runs, 0}, .shards = shards}, toy::kScenarios, {},
                            tapes);
}

std::uint64_t runs_of(const Cell& cell) { return cell.budget.runs + cell.tapes_budget.runs; }

TEST(NightlyTapes, UseAnEighthOfASoundVariantsRuns) {
  const Plan with = plan_of(100'000), without = plan_of(100'000, 1, {});
  std::uint64_t runs = 0;
  ASSERT_EQ(with.cells.size(), without.cells.size());
  for (std::size_t i = 0; i < with.cells.size(); ++i) {
    const Cell& cell = with.cells[i];
    EXPECT_EQ(runs_of(cell), runs_of(without.cells[i])) << cell.variant;
    EXPECT_EQ(cell.seed, without.cells[i].seed);
    runs += runs_of(cell);
    const std::uint64_t expected = !cell.build.empty()        ? 0
                                   : cell.variant == "retain" ? runs_of(cell) / 8
                                   : cell.variant == "borrow" ? 2
                                                              : 0;
    EXPECT_EQ(cell.tapes_budget.runs, expected) << cell.variant;
  }
  EXPECT_EQ(runs, 100'000u);
}

TEST(NightlyTapes, APlanWithTapesRoundTrips) {
  const Plan plan = plan_of(1000, 3);
  EXPECT_EQ(plan.tapes, std::vector(kTapes.begin() + 1, kTapes.end()));
  EXPECT_EQ(nightly::parse_plan(to_text(plan), "plan.json"), plan);
  EXPECT_EQ(plan, nightly::make_plan(plan.terms, toy::kScenarios, plan.known, plan.tapes));
  EXPECT_NE(id_of(plan), id_of(plan_of(1000, 3, {})));
  EXPECT_THAT(to_text(plan_of(1000, 3, {})), Not(HasSubstr("tape")))
      << "a night under way when the program became newer goes on";
}

TEST(NightlyTapes, EachTapeIsReplayedByOneShard) {
  const Plan plan = plan_of(9000, 3);
  std::uint64_t runs = 0, replays = 0;
  for (std::size_t tape = 0; tape < 7; ++tape) {
    int count = 0;
    for (std::size_t shard = 1; shard <= 3; ++shard) count += is_replayed_by(plan, shard, tape);
    EXPECT_EQ(count, 1) << tape;
  }
  for (std::size_t shard = 1; shard <= 3; ++shard)
    for (const Cell& cell : cells_of(plan, shard)) {
      runs += runs_of(cell);
      if (cell.variant == "borrow") replays += cell.tapes_budget.runs;
      EXPECT_TRUE(cell.variant != "borrow" || cell.tapes_budget.runs == (shard < 3 ? 1u : 0u));
    }
  EXPECT_EQ(runs, 9000u);
  EXPECT_EQ(replays, 2u);
}

// ---- shards ----

/// Runs a shard, whose replays do not differ.
nightly::ShardResult run_shard(const Plan& plan, std::size_t index, const std::string& place) {
  testing::ShardServices services;
  services.replayed = [](const std::string& folder) {
    std::map<std::string, std::string> said;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      said[entry.path().filename()] = "";
    return said;
  };
  const nightly::ShardOptions options{.strategy = find(tables::strategies(), "random_walk"),
                                      .device = find(tables::devices(), "sim"),
                                      .repair_runs = 6};
  Runner runner;
  return nightly::run_shard(runner, plan, index, place, options, services);
}

/// A path whose runs are short.
constexpr const char* kPath = "example";

/// Runs a night of one variant, by itself.
nightly::CellRecord searched(const std::string& variant, std::uint64_t runs,
                             const std::vector<KeptTape>& tapes) {
  const Folder folder;
  std::vector<VariantTapes> given;
  if (!tapes.empty()) given.push_back({kPath, variant, tapes});
  const Plan plan =
      nightly::make_plan({.budget = {runs, 0}, .target = std::string(kPath) + "/" + variant},
                         tables::scenarios(), {}, given);
  return run_shard(plan, 1, folder.path()).record.cells.at(0);
}

/// Returns the choices of the tape of each feature.
std::map<std::string, std::size_t> lengths_of(const std::vector<KeptTape>& tapes) {
  std::map<std::string, std::size_t> lengths;
  for (const KeptTape& one : tapes)
    for (const std::string& feature : one.features)
      lengths[feature] = nightly::decision_count(one.tape);
  return lengths;
}

TEST(NightlyTapes, TheNextNightStartsFromTapesThatSurvive) {
  const nightly::CellRecord first = searched("retain", 800, {});
  ASSERT_FALSE(first.tapes.kept.empty());
  EXPECT_EQ(first.tapes.given + first.tapes.runs, 0u);
  const nightly::CellRecord second = searched("retain", 800, first.tapes.kept);
  EXPECT_EQ(second.tapes.given, first.tapes.kept.size());
  EXPECT_EQ(second.tapes.replayed, second.tapes.given);
  EXPECT_EQ(second.tapes.survived, second.tapes.given);
  EXPECT_EQ(second.runs, 700u);
  EXPECT_EQ(second.tapes.runs, 100u);
  const auto before = lengths_of(first.tapes.kept), after = lengths_of(second.tapes.kept);
  for (const auto& [feature, decisions] : before) {
    ASSERT_TRUE(after.contains(feature)) << feature;
    EXPECT_LE(after.at(feature), decisions) << feature;
  }
}

TEST(NightlyTapes, AUselessOrUnreadableTapeIsDropped) {
  const std::vector<KeptTape> good = searched("retain", 800, {}).tapes.kept;
  const auto& [config, tape, features] = good.at(0);
  const nightly::CellRecord record = searched("retain", 800,
                                              {{config, tape, features},
                                               {config, tape_of(1), features},
                                               {"nosuch=axis", tape, features},
                                               {config, "no tape", features},
                                               {config, tape, {"reaches what is no more"}}});
  EXPECT_EQ(record.tapes.given, 5u);
  EXPECT_EQ(record.tapes.replayed, 5u);
  EXPECT_EQ(record.tapes.survived, 1u);
}

TEST(NightlyTapes, TapesBeyondTheBudgetAreNotReplayed) {
  const std::vector<KeptTape> good = searched("retain", 800, {}).tapes.kept;
  ASSERT_THAT(good, Not(IsEmpty()));
  const std::vector<KeptTape> many(9, good[0]);
  const nightly::CellRecord record = searched("retain", 39, many);
  EXPECT_EQ(record.runs, 35u);
  EXPECT_EQ(record.tapes.runs, 4u);
  EXPECT_EQ(record.tapes.given, 9u);
  EXPECT_EQ(record.tapes.replayed, 4u);
}

TEST(NightlyTapes, ASearchFromTapesIsAFunctionOfThePlan) {
  const std::vector<KeptTape> tapes = searched("retain", 800, {}).tapes.kept;
  nightly::CellRecord one = searched("retain", 1600, tapes), two = searched("retain", 1600, tapes);
  for (nightly::CellRecord* record : {&one, &two})
    record->seconds = record->minimize_seconds = record->tape_seconds = record->all_seconds = 0;
  EXPECT_EQ(one, two);
}

TEST(NightlyTapes, ACanaryIsNotCaughtByTapes) {
  const std::vector<KeptTape> tapes = searched("borrow", 800, {}).tapes.kept;
  const bool has_failed = std::any_of(tapes.begin(), tapes.end(), [](const KeptTape& one) {
    return one.features[0].starts_with("fails in ");
  });
  ASSERT_TRUE(has_failed);
  const nightly::CellRecord with = searched("borrow", 800, tapes);
  const nightly::CellRecord alone = searched("borrow", 800 - with.tapes.runs, {});
  EXPECT_EQ(with.tapes.survived, tapes.size());
  EXPECT_EQ(with.tapes.runs, tapes.size()) << "they are replayed, and no more";
  EXPECT_EQ(with.caught_runs, alone.caught_runs) << "they say nothing of the search";
  EXPECT_EQ(with.findings, alone.findings);
}

// ---- histories ----

/// A shard whose sound variant leaves these.
std::string leave(const Folder& folder, const Plan& plan, std::size_t index,
                  const std::vector<KeptTape>& kept) {
  nightly::ShardRecord shard = testing::hand_made_shard(plan, index, {});
  shard.cells.front().tapes = {2, 2, 1, 9, kept};
  return testing::leave_shard(folder / std::to_string(plan.terms.number), shard);
}

/// Four shards of three nights.
Words leave_nights(const Folder& folder) {
  const Plan one = testing::hand_made_plan(2, 1), two = testing::hand_made_plan(1, 2),
             three = testing::hand_made_plan(1, 3);
  return {
      leave(folder, one, 1, {{"c", tape_of(5), {"reaches a", "reaches b"}}}),
      leave(folder, one, 2, {{"c", tape_of(4), {"reaches a"}}, {"b", tape_of(5), {"reaches b"}}}),
      leave(folder, two, 1, {{"c", tape_of(9), {"reaches b", "reaches c"}}}),
      leave(folder, three, 1, {{"c", tape_of(7), {"reaches c"}}})};
}

TEST(NightlyTapes, MergingTapesIsIdempotentAndOrderIndependent) {
  const Folder folder;
  Words shards = leave_nights(folder);
  std::sort(shards.begin(), shards.end());
  std::string expected;
  int count = 0;
  do {
    History history(folder / ("history" + std::to_string(++count)));
    for (const std::string& shard : shards) history.merge({shard});
    history.merge(shards);
    if (expected.empty()) expected = exported(history);
    ASSERT_EQ(exported(history), expected);
  } while (std::next_permutation(shards.begin(), shards.end()));
  EXPECT_EQ(count, 24);
}

TEST(NightlyTapes, TheShortestTapeOfTheLastNightIsKept) {
  const Folder folder;
  History history(folder / "history");
  history.merge(leave_nights(folder));
  EXPECT_EQ(history.tapes(), (std::vector<VariantTapes>{{"toy",
                                                         "retain",
                                                         {{"c", tape_of(4), {"reaches a"}},
                                                          {"c", tape_of(9), {"reaches b"}},
                                                          {"c", tape_of(7), {"reaches c"}}}}}));
  const nightly::Night night = history.night(history.last_night());
  EXPECT_EQ(night.cells[1].tapes.given, 2u);
  EXPECT_EQ(night.cells[1].tapes.survived, 1u);
  EXPECT_EQ(night.cells[1].tapes.runs, 9u);
}

TEST(NightlyTapes, TapesWithoutEffectAreRetriedForSomeNights) {
  const Folder folder;
  History history(folder / "history");
  const auto features_after = [&](std::uint64_t number, const Words& features) {
    const Plan plan = testing::hand_made_plan(1, number);
    history.merge({leave(folder, plan, 1, {{"c", tape_of(number), features}})});
    return history.tapes().at(0).tapes.size();
  };
  EXPECT_EQ(features_after(1, {"reaches a", "reaches b"}), 1u);
  EXPECT_EQ(features_after(nightly::kNightsLooked, {"reaches b"}), 2u);
  EXPECT_EQ(features_after(nightly::kNightsLooked + 1, {"reaches b"}), 1u);
  EXPECT_EQ(features_after(nightly::kNightsLooked + 2, {"reaches a"}), 2u) << "it is back";
}

TEST(NightlyTapes, AreBoundedIndependentlyOfOrder) {
  const Folder folder;
  Words shards;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    std::vector<KeptTape> kept;
    for (std::size_t i = 0; i < 80; ++i)
      kept.push_back(
          {"c", tape_of(1, 99 * number + i), {"reaches " + std::to_string(i * number * 7 % 400)}});
    shards.push_back(leave(folder, testing::hand_made_plan(1, number), 1, kept));
  }
  std::string expected;
  int count = 0;
  do {
    History history(folder / ("history" + std::to_string(++count)));
    for (const std::string& shard : shards) history.merge({shard});
    if (expected.empty()) expected = exported(history);
    EXPECT_EQ(exported(history), expected);
    const nightly::Row tapes =
        history.database().query("SELECT count(*) AS count FROM tapes").at(0);
    EXPECT_EQ(tapes.count("count"), nightly::kMostFeatures);
  } while (std::next_permutation(shards.begin(), shards.end()));
}

using NightlyTapesAbsent = testing::HandMadeNights;

TEST_F(NightlyTapesAbsent, AFindingOfATapeIsSeenButHasNoRate) {
  nightly::ShardRecord shard =
      testing::hand_made_shard(testing::hand_made_plan(1, next_number()), 1, {"a"});
  nightly::FindingRecord& finding = shard.cells.back().findings.at(0);
  finding.runs = 0;
  finding.other_runs = 5;
  const nightly::Night first = merge_night(shard);
  ASSERT_THAT(first.findings, SizeIs(1));
  EXPECT_EQ(first.findings[0].runs, 5u);
  const nightly::Night second = without(nightly::Absence::gone);
  ASSERT_THAT(second.absent, SizeIs(1));
  EXPECT_EQ(second.absent[0].absent->expected, 0);
  EXPECT_EQ(second.absent[0].state, nightly::State::known);
}

TEST(NightlyTapes, AnExportIncludesTapes) {
  const Folder folder;
  std::string text;
  std::vector<VariantTapes> tapes;
  {
    History history(folder / "one");
    history.merge(leave_nights(folder));
    text = exported(history);
    tapes = history.tapes();
  }
  testing::import_text(text, folder / "two");
  History two(folder / "two");
  EXPECT_EQ(exported(two), text);
  EXPECT_EQ(two.tapes(), tapes);
}

}  // namespace
}  // namespace harness
