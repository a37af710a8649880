// SPDX-License-Identifier: Apache-2.0
// Plans of nights, and their files.
#include "harness/nightly/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/nightly/tests/nightly_stage.h"
#include "harness/run/tests/toy_scenario.h"

namespace harness {
namespace {

using nightly::Cell;
using nightly::Plan;
using nightly::Terms;
using ::testing::HasSubstr;
namespace toy = testing::toy;

Terms terms_of(std::uint64_t runs, std::size_t shards = 1) {
  return {.seed = 5, .budget = {runs, 0}, .shards = shards};
}

std::uint64_t runs_of(const std::vector<Cell>& cells, bool sound_only = false) {
  std::uint64_t runs = 0;
  for (const Cell& cell : cells)
    if (!sound_only || cell.claim == "sound") runs += cell.budget.runs;
  return runs;
}

TEST(NightlyPlan, EveryRunIsAssignedAndSoundVariantsHaveFourFifths) {
  for (const std::uint64_t runs : {0, 1, 7, 100, 12'345, 1'000'000}) {
    const Plan plan = make_plan(terms_of(runs), toy::kScenarios);
    EXPECT_EQ(std::count_if(plan.cells.begin(), plan.cells.end(),
                            [](const Cell& cell) { return cell.build.empty(); }),
              static_cast<std::ptrdiff_t>(toy::scenario.variants.size()));
    EXPECT_EQ(runs_of(plan.cells), runs);
    EXPECT_NEAR(static_cast<double>(runs_of(plan.cells, true)), 0.8 * static_cast<double>(runs),
                static_cast<double>(plan.cells.size()));
  }
  EXPECT_EQ(runs_of(make_plan(terms_of(nightly::kMostRuns), toy::kScenarios).cells),
            nightly::kMostRuns);
}

TEST(NightlyPlan, APlanIsAFunctionOfItsTermsAndSeed) {
  const Plan plan = make_plan(terms_of(1000), toy::kScenarios);
  EXPECT_EQ(plan, make_plan(terms_of(1000), toy::kScenarios));
  Terms other = terms_of(1000);
  other.seed = 6;
  const Plan elsewhere = make_plan(other, toy::kScenarios);
  EXPECT_NE(id_of(plan), id_of(elsewhere));
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    EXPECT_NE(plan.cells[i].seed, elsewhere.cells[i].seed);
}

TEST(NightlyPlan, ShardsPartitionThePlan) {
  for (const std::size_t shards : {1, 2, 3, 8, 1000}) {
    const Plan plan = make_plan(terms_of(5000, shards), toy::kScenarios);
    std::set<std::uint64_t> seeds;
    std::uint64_t runs = 0, most = 0, least = ~std::uint64_t{0};
    for (std::size_t index = 1; index <= shards; ++index) {
      const std::vector<Cell> cells = cells_of(plan, index);
      for (const Cell& cell : cells) EXPECT_TRUE(seeds.insert(cell.seed).second);
      const std::uint64_t own = runs_of(cells);
      runs += own;
      most = std::max(most, own);
      least = std::min(least, own);
    }
    EXPECT_EQ(runs, 5000u) << shards;
    EXPECT_LE(most - least, plan.cells.size()) << "shards are about equally long";
  }
}

TEST(NightlyPlan, ATargetIsAPathOrAVariant) {
  Terms terms = terms_of(100);
  terms.target = "toy/borrow";
  const Plan plan = make_plan(terms, toy::kScenarios);
  ASSERT_EQ(plan.cells.size(), 1u);
  EXPECT_EQ(plan.cells[0].variant, "borrow");
  EXPECT_EQ(plan.cells[0].budget.runs, 100u);
}

TEST(NightlyPlan, OtherBuildsSearchSoundVariantsForAFortieth) {
  const Plan plan = make_plan(terms_of(100'000), toy::kScenarios);
  std::map<std::string, std::uint64_t> runs;
  std::set<std::uint64_t> seeds;
  for (const Cell& cell : plan.cells) {
    EXPECT_TRUE(cell.build.empty() || cell.claim == "sound") << cell.variant;
    runs[cell.build] += cell.budget.runs;
    EXPECT_TRUE(seeds.insert(cell.seed).second) << "each looks elsewhere";
  }
  EXPECT_EQ(runs.size(), 4u);
  EXPECT_NEAR(static_cast<double>(runs["asan"]), 80'000 / 40, 20);
  EXPECT_EQ(runs["asan"], runs["tsan"]);
  EXPECT_EQ(runs["asan"], runs["fuzz"]);
  EXPECT_EQ(runs[""] + 3 * runs["asan"], 100'000u);
  EXPECT_EQ(nightly::parse_plan(to_text(plan), "plan.json"), plan);
  const Plan shared = make_plan(terms_of(100'000, 3), toy::kScenarios);
  std::multiset<std::string> planned, done;
  for (const Cell& cell : shared.cells)
    if (!cell.build.empty()) planned.insert(cell.build + cell.variant);
  for (std::size_t index = 1; index <= 3; ++index)
    for (const Cell& cell : cells_of(shared, index))
      if (!cell.build.empty()) done.insert(cell.build + cell.variant);
  EXPECT_EQ(done, planned) << "each is one shard's";
  for (const Cell& cell : make_plan(terms_of(5000), toy::kScenarios).cells)
    EXPECT_EQ(cell.build, "") << "a night that is too short has none";
}

TEST(NightlyPlan, ANightInSecondsDividesThem) {
  const Plan plan = nightly::make_plan({.budget = {0, 60}, .shards = 4}, toy::kScenarios);
  double seconds = 0;
  for (std::size_t index = 1; index <= 4; ++index)
    for (const Cell& cell : cells_of(plan, index)) seconds += cell.budget.seconds;
  EXPECT_NEAR(seconds, 60, 1e-6);
}

TEST(NightlyPlan, HoldsTheKnownRepairsOfItsPathsAndTheyChangeItsId) {
  const std::vector<nightly::KnownRepair> known{{"elsewhere", "keep it", {"1"}},
                                                {"toy", "", {"2", "3"}},
                                                {"toy", "keep a until b has used it", {"4"}}};
  const Plan plan = make_plan(terms_of(100), toy::kScenarios, known);
  EXPECT_EQ(plan.known, std::vector(known.begin() + 1, known.end()));
  EXPECT_EQ(plan, make_plan(plan.terms, toy::kScenarios, plan.known));
  EXPECT_EQ(plan.cells, make_plan(terms_of(100), toy::kScenarios).cells);
  EXPECT_NE(id_of(plan), id_of(make_plan(terms_of(100), toy::kScenarios)));
  EXPECT_EQ(nightly::parse_plan(to_text(plan), "plan.json"), plan);
}

TEST(NightlyPlan, ItsTextRoundTrips) {
  Terms terms{3, ~std::uint64_t{0}, {0, 0.1}, 8, "toy", "line\n\"quoted\" \xc3\xa9"};
  const Plan plan = make_plan(terms, toy::kScenarios);
  EXPECT_EQ(nightly::parse_plan(to_text(plan), "plan.json"), plan);
}

/// Expects one line that names the file.
template <class Parse>
void expect_refused(Parse parse, const std::string& text, const std::string& why) {
  try {
    parse(text);
    ADD_FAILURE() << "was read: " << text.substr(0, 200);
  } catch (const std::runtime_error& error) {
    const std::string line = error.what();
    EXPECT_THAT(line, HasSubstr("file: ")) << line;
    EXPECT_THAT(line, HasSubstr(why));
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
}

TEST(NightlyPlan, AModifiedTextIsRefused) {
  const auto parse = [](const std::string& text) { nightly::parse_plan(text, "file"); };
  const std::string text = to_text(testing::hand_made_plan(2));
  parse(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    expect_refused(parse, changed, "damaged");
  }
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes)
    expect_refused(parse, text.substr(0, bytes), "damaged");
  expect_refused(parse, text + "\n", "damaged");
  expect_refused(parse, nightly::to_text(nightly::CellRecord{}), "'cell 1'");
}

TEST(NightlyRecord, AShardRoundTrips) {
  const Folder folder;
  const auto shard = testing::hand_made_shard(testing::hand_made_plan(3), 2, {"a", "b"}, 0.1);
  const std::string place = testing::leave_shard(folder.path(), shard);
  EXPECT_EQ(nightly::read_shard(place).record, shard);
}

TEST(NightlyRecord, AChangedByteOfAShardOrOfItsReproducersIsRefused) {
  const Folder folder;
  const auto shard = testing::hand_made_shard(testing::hand_made_plan(1), 1, {"a"});
  const std::string place = testing::leave_shard(folder.path(), shard);
  for (const std::string& file : {place + "/shard.json", place + "/cell/borrow-a.repro"}) {
    const std::string text = read_file(file);
    for (std::size_t i = 0; i < text.size(); i += 1 + text.size() / 97) {
      std::string changed = text;
      changed[i] ^= 4;
      write_file(file, changed);
      EXPECT_THROW(nightly::read_shard(place), std::runtime_error) << file << " byte " << i;
    }
    write_file(file, text);
  }
  EXPECT_EQ(nightly::read_shard(place).record, shard);
}

nightly::ShardFile written_and_read(const nightly::ShardRecord& shard) {
  const Folder folder;
  return nightly::read_shard(testing::leave_shard(folder.path(), shard));
}

TEST(NightlyRecord, AResultExcludesTimeMemoryAndMachine) {
  const auto plan = testing::hand_made_plan(1);
  const auto file = written_and_read(testing::hand_made_shard(plan, 1, {"a"}, 1));
  auto elsewhere = testing::hand_made_shard(plan, 1, {"a"}, 2);
  elsewhere.ended_at = 1'800'000'000;
  elsewhere.peak_bytes = 1 << 20;
  elsewhere.machine = "another";
  elsewhere.cells[0].instructions = 1'000;
  const auto other = written_and_read(elsewhere);
  EXPECT_EQ(file.result, other.result);
  EXPECT_NE(file.content, other.content);
  EXPECT_NE(file.result, written_and_read(testing::hand_made_shard(plan, 1, {"b"}, 1)).result);
}

}  // namespace
}  // namespace harness
