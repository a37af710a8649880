// SPDX-License-Identifier: Apache-2.0
// Findings by root cause: which failures are one finding, and the resulting reports.
#include "harness/nightly/root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/cli/tests/toys_child.h"
#include "harness/nightly/history.h"
#include "harness/nightly/tests/nightly_nights.h"
#include "harness/nightly/transfer.h"

namespace harness {
namespace {

using nightly::Absence;
using nightly::History;
using nightly::Night;
using nightly::NightFinding;
using nightly::RepairRecord;
using nightly::State;
using nlohmann::json;
using testing::hand_made_finding;
using testing::hand_made_plan;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run_toys;
using ::testing::SizeIs;

/// A way to fail: the variant, the signature, and the repairs that work for it.
struct Shown {
  std::string variant;
  std::string signature;
  std::vector<RepairRecord> repairs;
  std::string first = {};  ///< The first thing that goes wrong.
};

const RepairRecord kNarrow{"keep a until b has used it", 2, true};
const RepairRecord kOther{"keep c until d has used it", 2, true};
const RepairRecord kCheap{"do not fail", 1, false};
const RepairRecord kWide{"keep everything", 5, false};

class Roots : public testing::HandMadeNights {
 protected:
  /// A shard with these findings, in which the canary is always caught.
  static nightly::ShardRecord shard_of(const std::vector<Shown>& shown, std::uint64_t number,
                                       std::size_t index = 1, std::size_t shards = 1) {
    nightly::Plan plan = hand_made_plan(shards, number);
    plan.cells.push_back({"toy", "keep", "sound", 3, {100, 0}});
    nightly::ShardRecord shard = testing::hand_made_shard(plan, index, {});
    for (nightly::CellRecord& cell : shard.cells) {
      if (cell.cell.claim == "unsound") cell.faulty_runs = cell.caught_runs = 3;
      for (const Shown& one : shown) {
        if (one.variant != cell.cell.variant) continue;
        cell.findings.push_back(
            hand_made_finding(cell.cell, one.signature, "shows " + one.signature + "\n"));
        cell.findings.back().repairs = nightly::to_text({one.repairs, one.first});
      }
    }
    return shard;
  }
  static std::string cause_in(const nightly::Plan& plan, std::size_t cell,
                              const std::string& signature) {
    return hand_made_finding(plan.cells.at(cell), signature, "").cause;
  }
  Night merge(const std::vector<Shown>& shown) {
    return merge_night(shard_of(shown, next_number()));
  }
};

TEST_F(Roots, FailuresRemovedByOneRepairAreOneFinding) {
  const Night night = merge({{"borrow", "x", {kNarrow, kWide}},
                             {"borrow", "longer", {kNarrow}},
                             {"borrow", "z", {kOther}}});
  ASSERT_THAT(night.findings, SizeIs(2));
  EXPECT_EQ(night.symptom_count(), 3u);
  EXPECT_EQ(night.count(State::fresh), 2u);
  const auto of = [&](const RepairRecord& repair) {
    return *std::find_if(night.findings.begin(), night.findings.end(),
                         [&](const NightFinding& one) { return one.repair == repair.words; });
  };
  ASSERT_THAT(of(kNarrow).symptoms, SizeIs(2));
  EXPECT_EQ(of(kNarrow).signature, "x") << "the plainest speaks for it";
  EXPECT_EQ(of(kNarrow).symptoms[1].signature, "longer");
  EXPECT_EQ(of(kNarrow).runs, 6u);
  EXPECT_THAT(of(kOther).symptoms, SizeIs(1));
}

TEST_F(Roots, ANewSymptomOfAKnownCauseIsNotNews) {
  const std::string name = merge({{"borrow", "x", {kNarrow}}}).findings.at(0).cause;
  const Night night = merge({{"borrow", "y", {kCheap, kNarrow}}});
  ASSERT_THAT(night.findings, SizeIs(1));
  EXPECT_EQ(night.findings[0].cause, name);
  EXPECT_EQ(night.findings[0].state, State::known);
  EXPECT_EQ(night.findings[0].first_number, 1u);
  EXPECT_FALSE(night.is_red());
  EXPECT_EQ(night.past.back().new_findings, 0u);
  EXPECT_EQ(merge({{"borrow", "y", {kWide}}, {"borrow", "u", {kOther}}}).count(State::fresh), 1u);
}

TEST_F(Roots, ACauseOfCanariesIsNewInASoundVariant) {
  const std::string name = merge({{"borrow", "x", {kNarrow}}}).findings.at(0).cause;
  const Night night = merge({{"borrow", "x", {kNarrow}}, {"retain", "x", {kNarrow}}});
  ASSERT_THAT(night.findings, SizeIs(2));
  EXPECT_EQ(night.findings[0].state, State::fresh);
  EXPECT_EQ(night.findings[0].variant, "retain");
  EXPECT_NE(night.findings[0].cause, name);
  EXPECT_EQ(night.findings[1].state, State::known);
  EXPECT_EQ(night.findings[1].cause, name);
  EXPECT_TRUE(night.is_red());
}

TEST_F(Roots, ACauseInBothKindsOfVariantIsOneFinding) {
  const std::vector<Shown> both{{"borrow", "x", {kNarrow}}, {"retain", "longer", {kNarrow}}};
  const Night first = merge(both);
  ASSERT_THAT(first.findings, SizeIs(1));
  EXPECT_EQ(first.findings[0].state, State::fresh);
  EXPECT_EQ(first.findings[0].variant, "retain")
      << "a plainer one of a canary does not speak for it";
  EXPECT_THAT(first.findings[0].symptoms, SizeIs(2));
  EXPECT_EQ(merge(both).findings.at(0).state, State::known);

  const Night canary = merge({{"borrow", "x", {kNarrow}}});
  ASSERT_THAT(canary.findings, SizeIs(1));
  EXPECT_EQ(canary.findings[0].state, State::known) << "the canary has shown it before";
  EXPECT_EQ(canary.findings[0].first_number, 1u);
  EXPECT_NE(canary.findings[0].cause, first.findings[0].cause) << "now it is the canary's";
  const auto absent = history().absent(canary);
  ASSERT_THAT(absent, SizeIs(1)) << "the canary's reproducer does not say whether it is gone";
  EXPECT_EQ(absent[0].signature, "longer");
  history().note(canary, {{absent[0].cause, Absence::gone}});
  EXPECT_EQ(now().absent.at(0).state, State::known) << "three runs prove nothing";

  const Night again = merge(both);
  ASSERT_THAT(again.findings, SizeIs(1));
  EXPECT_EQ(again.findings[0].cause, first.findings[0].cause);
}

TEST_F(Roots, SoundVariantsOfAPathShareACause) {
  const std::string name = merge({{"retain", "x", {kNarrow}}}).findings.at(0).cause;
  const Night night = merge({{"retain", "x", {kNarrow}}, {"keep", "x", {kNarrow}}});
  ASSERT_THAT(night.findings, SizeIs(1));
  EXPECT_EQ(night.findings[0].cause, name);
  EXPECT_EQ(night.findings[0].state, State::known);
  EXPECT_THAT(night.findings[0].symptoms, SizeIs(2));
  for (const nightly::NightCell& cell : night.cells)
    EXPECT_EQ(night.findings[0].is_of(cell), !cell.is_canary()) << cell.variant;
}

TEST_F(Roots, WithoutARepairAFindingIsNamedAfterItsFirstFault) {
  const std::string name =
      merge({{"borrow", "x", {}, "wrong sum"}, {"borrow", "y", {}, "crash"}}).findings.at(0).cause;
  const Night night = merge({{"borrow", "x", {}, "wrong sum"}, {"borrow", "z", {}, "wrong sum"}});
  ASSERT_THAT(night.findings, SizeIs(1));
  EXPECT_EQ(night.findings[0].cause, name);
  EXPECT_EQ(night.findings[0].state, State::known);
  EXPECT_EQ(night.findings[0].repair, "");
  EXPECT_THAT(night.findings[0].symptoms, SizeIs(2));
}

TEST_F(Roots, WithoutAFirstFaultAFindingIsNamedByItsSignature) {
  merge({{"borrow", "y", {}}});
  const Night night = merge({{"borrow", "x", {}}, {"borrow", "y", {}}, {"retain", "y", {}}});
  ASSERT_THAT(night.findings, SizeIs(3));
  EXPECT_EQ(night.findings[0].repair, "");
  EXPECT_EQ(history().reproducer(night.findings[2].cause), "shows y\n");
  EXPECT_NE(night.findings[1].cause, night.findings[2].cause);
}

TEST_F(Roots, AMarkAppliesToAllSymptomsOfACause) {
  const std::string name = merge({{"borrow", "x", {kNarrow}}}).findings.at(0).cause;
  EXPECT_EQ(history().reproducer(name), "shows x\n");
  EXPECT_TRUE(history().mark(name, "ignored", "a known limit", 0));
  const Night silent = merge({{"borrow", "y", {kNarrow}}, {"retain", "x", {kNarrow}}});
  ASSERT_THAT(silent.findings, SizeIs(2));
  EXPECT_EQ(silent.findings[0].state, State::fresh) << "a word on canaries is none on others";
  EXPECT_EQ(silent.findings[1].state, State::ignored);
  EXPECT_TRUE(history().mark(silent.findings[0].cause, "ignored", "it is not", 0));
  EXPECT_FALSE(merge({{"retain", "z", {kNarrow}}}).is_red());
}

TEST_F(Roots, ACauseIsFixedWhenAllItsSymptomsAreGone) {
  merge({{"borrow", "x", {kNarrow}}, {"borrow", "y", {kNarrow}}});
  EXPECT_THAT(history().absent(merge({{"borrow", "y", {kNarrow}}})), IsEmpty());
  const Night night = merge({});
  const auto absent = history().absent(night);
  ASSERT_THAT(absent, SizeIs(2));
  history().note(night, {{absent[0].cause, Absence::gone}, {absent[1].cause, Absence::shown}});
  const Night half = now();
  ASSERT_THAT(half.absent, SizeIs(1));
  EXPECT_EQ(half.absent[0].absent->absence, Absence::shown);
  const Night gone = without(Absence::gone);
  ASSERT_THAT(gone.absent, SizeIs(1));
  EXPECT_EQ(gone.absent[0].absent->absence, Absence::gone);
  EXPECT_EQ(gone.absent[0].state, State::fixed);
  EXPECT_THAT(history().closed_findings(), SizeIs(2)) << "both of its reproducers may go";
  EXPECT_EQ(merge({{"borrow", "u", {kNarrow}}}).findings.at(0).state, State::regressed);
}

TEST_F(Roots, ShardsInAnyOrderHaveTheSameRoots) {
  const std::vector<std::vector<Shown>> found{
      {{"borrow", "x", {kWide, kNarrow}}},
      {{"borrow", "y", {kWide, kOther}}},
      {{"borrow", "x", {kWide, kNarrow}}, {"borrow", "z", {kNarrow}}}};
  std::vector<std::string> shards;
  for (std::size_t i = 0; i < found.size(); ++i)
    shards.push_back(leave(shard_of(found[i], 1, i + 1, 3)));
  std::set<std::string> texts;
  std::sort(shards.begin(), shards.end());
  do {
    const Folder place;
    History other(place.path());
    for (const std::string& shard : shards) other.merge({shard});
    other.sort_findings();
    other.sort_findings();
    std::string text;
    nightly::export_history(other.database(), [&](const std::string& line) { text += line; });
    EXPECT_THAT(text, HasSubstr(kNarrow.words));
    texts.insert(text);
  } while (std::next_permutation(shards.begin(), shards.end()));
  EXPECT_THAT(texts, SizeIs(1));
}

// A shard with a known repair tries no other: the record of a reproducer with more is kept.
TEST_F(Roots, NightsInAnyOrderHaveTheSameRepairs) {
  std::vector<std::string> shards{
      leave(shard_of({{"borrow", "x", {kWide, kNarrow}}, {"borrow", "y", {}}}, 1)),
      leave(shard_of({{"borrow", "x", {kNarrow}}, {"borrow", "y", {}}}, 2)),
      leave(shard_of({{"borrow", "x", {kNarrow}}, {"borrow", "z", {kNarrow}}}, 3))};
  std::set<std::string> texts;
  do {
    const Folder place;
    History other(place.path());
    for (const std::string& shard : shards) {
      other.merge({shard});
      other.sort_findings();
    }
    std::string text;
    nightly::export_history(other.database(), [&](const std::string& line) { text += line; });
    texts.insert(text);
  } while (std::next_permutation(shards.begin(), shards.end()));
  EXPECT_THAT(texts, SizeIs(1));
}

TEST_F(Roots, TheNextPlanHasTheKnownRepairs) {
  EXPECT_THAT(history().known_repairs(), IsEmpty());
  merge({{"borrow", "x", {kNarrow}}, {"retain", "y", {kNarrow}}, {"borrow", "z", {}}});
  const std::vector<nightly::KnownRepair> known = history().known_repairs();
  ASSERT_THAT(known, SizeIs(2));
  EXPECT_EQ(known[0].words, "");
  EXPECT_THAT(known[0].causes, SizeIs(1));
  EXPECT_EQ(known[1].words, kNarrow.words);
  EXPECT_EQ(known[1].path, "toy");
  EXPECT_THAT(known[1].causes, SizeIs(2));
  const nightly::Plan plan = hand_made_plan(1);
  std::vector<std::string> causes{cause_in(plan, 1, "x"), cause_in(plan, 0, "y")};
  std::sort(causes.begin(), causes.end());
  EXPECT_EQ(known[1].causes, causes);
}

TEST(CliNightlyRoots, FindingsAreReportedWithTheirRepair) {
  const Folder folder;
  const std::string history = folder / "history";
  const std::vector<std::string> words{"nightly", "--runs",    "2000",  "--only",
                                       "toy",     "--history", history, "--json"};
  const json night = json::parse(run_toys(words).out);
  std::size_t explained = 0, ways = 0;
  std::set<std::string> names;
  for (const json& finding : night["findings"]) {
    explained += finding["repair"] != "";
    ways += finding["symptoms"].size();
    names.insert(finding["cause"]);
    std::uint64_t runs = 0;
    for (const json& symptom : finding["symptoms"]) runs += symptom["runs"].get<std::uint64_t>();
    EXPECT_EQ(finding["runs"], runs);
    const Ended shown = run_toys({"nightly", "show", finding["cause"], "--history", history});
    EXPECT_THAT(shown.out, HasSubstr("afterlife reproducer")) << finding;
  }
  EXPECT_GT(explained, 0u);
  EXPECT_GT(ways, night["findings"].size()) << "some show in several ways";
  EXPECT_EQ(names.size(), night["findings"].size());
  const Ended report = run_toys({"nightly", "report", "--history", history});
  EXPECT_THAT(report.out, HasSubstr("repair: keep Box alive until use has used it"));
  EXPECT_THAT(report.out, HasSubstr("appears in "));
  const std::string page = read_file(history + "/page.html");
  EXPECT_THAT(page, HasSubstr("repair: keep Box alive until use has used it"));
  std::vector<std::string> seeded = words;
  seeded.insert(seeded.end(), {"--seed", "77"});
  const json second = json::parse(run_toys(seeded).out);
  // Two variants have a window that a night of this length meets now and then.
  const std::set<std::string> rare{"rarely_unsound", "second_window"};
  for (const json& finding : second["findings"])
    EXPECT_TRUE(finding["repair"] == "" || rare.contains(finding["variant"]) ||
                finding["state"] == "known")
        << "other seeds, the same causes: " << finding;
}

}  // namespace
}  // namespace harness
