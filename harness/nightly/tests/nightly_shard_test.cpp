// SPDX-License-Identifier: Apache-2.0
// A shard, run in this process: its use of replays in a fresh process.
#include "harness/nightly/shard/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "harness/base/tests/child.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/root.h"
#include "harness/nightly/shard/stopwatch.h"
#include "harness/nightly/tests/shard_services.h"

namespace harness {
namespace {

/// A canary whose findings have several repairs each, and whose runs are short.
const std::string kPath = "example", kCanary = "example/borrow";

/// Terms of a shard's run, and where it leaves what it was doing.
struct Stage {
  const char* difference = "";  ///< Said of each file by every replay; null = nothing.
  std::vector<nightly::KnownRepair> known{};  ///< From the plan.
  std::string* phases = nullptr;
  nightly::Budget budget{300, 0};
  std::uint64_t repair_runs = 6;
};

/// The options of searches in this process.
nightly::ShardOptions options_of(std::uint64_t repair_runs) {
  return {.strategy = find(tables::strategies(), "random_walk"),
          .device = find(tables::devices(), "sim"),
          .repair_runs = repair_runs};
}

/// Runs a canary for a while.
nightly::CellRecord searched(const std::string& folder, const Stage& stage) {
  testing::ShardServices services;
  services.replayed = [&](const std::string&) {
    std::map<std::string, std::string> said;
    for (int i = 1; i <= services.written && stage.difference != nullptr; ++i)
      said[std::to_string(i) + ".repro"] = stage.difference;
    return said;
  };
  services.began = [&](nightly::Phase phase) {
    if (stage.phases != nullptr) *stage.phases += std::string(to_text(phase)) + " ";
  };
  const nightly::Plan plan = nightly::make_plan({.budget = stage.budget, .target = kCanary},
                                                tables::scenarios(), stage.known);
  Runner runner;
  return nightly::run_shard(runner, plan, 1, folder, options_of(stage.repair_runs), services)
      .record.cells.at(0);
}

TEST(NightlyShard, AFindingCountsOnlyIfAFreshProcessReplaysIt) {
  const Folder folder;
  const nightly::CellRecord same = searched(folder / "same", {});
  const nightly::CellRecord other = searched(folder / "other", {"the trace is another"});
  const nightly::CellRecord silent = searched(folder / "silent", {nullptr});
  ASSERT_FALSE(same.findings.empty());
  ASSERT_EQ(same.findings.size(), other.findings.size());
  for (std::size_t i = 0; i < same.findings.size(); ++i) {
    EXPECT_EQ(same.findings[i].kind, nightly::kFault);
    EXPECT_EQ(other.findings[i].kind, nightly::kNondeterminism);
    EXPECT_EQ(other.findings[i].difference, "the trace is another");
    EXPECT_NE(other.findings[i].cause, same.findings[i].cause);
    EXPECT_EQ(silent.findings[i].kind, nightly::kNondeterminism);
    EXPECT_EQ(silent.findings[i].difference, "was not replayed");
  }
}

TEST(NightlyShard, ASkippedReplayIsNotNondeterminism) {
  const Folder folder;
  const nightly::CellRecord same = searched(folder / "same", {});
  const nightly::CellRecord late = searched(folder / "late", {nightly::kOutOfTime});
  ASSERT_EQ(same.findings.size(), late.findings.size());
  for (std::size_t i = 0; i < same.findings.size(); ++i) {
    EXPECT_EQ(late.findings[i].kind, nightly::kFault);
    EXPECT_EQ(late.findings[i].cause, same.findings[i].cause);
    EXPECT_EQ(late.findings[i].difference, nightly::kOutOfTime);
  }
}

TEST(NightlyShard, RepairTrialsWithoutTimeWaitForTheNextNight) {
  constexpr double kSeconds = 1;
  const Folder folder;
  const nightly::Stopwatch watch;
  const nightly::CellRecord cell =
      searched(folder.path(), {.budget = {0, kSeconds}, .repair_runs = ~std::uint64_t{0}});
  EXPECT_LT(watch.seconds(), 20 * kSeconds) << "by far less than the trials take";
  ASSERT_FALSE(cell.findings.empty());
  EXPECT_GT(cell.waiting, 0u);
  std::size_t untried = 0;
  for (const nightly::FindingRecord& finding : cell.findings) {
    EXPECT_EQ(finding.kind, nightly::kFault);
    untried += finding.repairs.empty();
  }
  EXPECT_EQ(cell.waiting, untried);
  const nightly::CellRecord next = searched(folder / "next", {});
  EXPECT_EQ(next.waiting, 0u);
  EXPECT_FALSE(next.findings.at(0).repairs.empty()) << "a night with enough time tries them";
}

TEST(NightlyShard, ReportsItsProgress) {
  const Folder folder;
  std::string phases;
  searched(folder.path(), {.phases = &phases});
  EXPECT_EQ(phases, "run minimize record replay triage record record ");
}

TEST(NightlyShard, ReportsSearchesInOtherBuildsWhenTheyBegin) {
  const Folder folder;
  std::set<std::string> builds;
  testing::ShardServices services;
  services.shown = [&](const nightly::Place&, const nightly::Cell& cell) {
    builds.insert(cell.build);
  };
  nightly::Plan plan =
      nightly::make_plan({.budget = {100'000, 0}, .target = kPath}, tables::scenarios(), {});
  std::erase_if(plan.cells, [](const nightly::Cell& cell) { return cell.build.empty(); });
  Runner runner;
  nightly::run_shard(runner, plan, 1, folder.path(), {}, services);
  EXPECT_THAT(builds, ::testing::ElementsAre("asan", "fuzz", "tsan"));
}

TEST(NightlyShard, CountsFinishedCells) {
  const Folder folder;
  std::atomic<bool> stop{false};
  const nightly::ShardOptions options{.stop = &stop};
  testing::ShardServices services;
  services.shown = [&](const nightly::Place& place, const nightly::Cell&) {
    stop = place.cell == 2;
  };
  nightly::Plan plan =
      nightly::make_plan({.budget = {100'000, 0}, .target = kPath}, tables::scenarios(), {});
  std::erase_if(plan.cells, [](const nightly::Cell& cell) { return cell.build.empty(); });
  ASSERT_GE(plan.cells.size(), 3);
  EXPECT_EQ(nightly::finished_cells(plan, 1, folder.path()), 0);
  Runner runner;
  nightly::run_shard(runner, plan, 1, folder.path(), options, services);
  EXPECT_EQ(nightly::finished_cells(plan, 1, folder.path()), 2);
  stop = false;
  services.shown = nullptr;
  nightly::run_shard(runner, plan, 1, folder.path(), options, services);
  EXPECT_EQ(nightly::finished_cells(plan, 1, folder.path()), plan.cells.size());
}

TEST(NightlyShard, ReplayTimeIsDeductedFromLaterCells) {
  const Folder folder;
  testing::ShardServices services;
  services.replayed = [](const std::string&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    return std::map<std::string, std::string>();
  };
  nightly::Plan plan =
      nightly::make_plan({.budget = {0, 1.2}, .target = kPath}, tables::scenarios(), {});
  std::erase_if(plan.cells, [](const nightly::Cell& cell) { return !cell.build.empty(); });
  plan.cells.push_back(plan.cells.back());
  Runner runner;
  const auto record =
      nightly::run_shard(runner, plan, 1, folder.path(), options_of(0), services).record;
  ASSERT_EQ(record.cells.size(), plan.cells.size());
  const nightly::CellRecord& last = record.cells.back();
  EXPECT_EQ(last.cell, nightly::cells_of(plan, 1).back()) << "it is recorded as it was planned";
  const double planned = last.cell.budget.seconds;
  EXPECT_EQ(last.cell.claim, "sound") << "the canary comes first, and is replayed once";
  EXPECT_LT(last.seconds, 0.95 * planned);
  EXPECT_NEAR(record.cells[1].seconds, last.seconds, 0.3 * planned) << "each in proportion";
}

// ---- known repairs of the plan ----

using nightly::RepairRecord;

/// Returns the repairs of each finding, by cause.
std::map<std::string, std::vector<RepairRecord>> repairs_in(const nightly::CellRecord& cell) {
  std::map<std::string, std::vector<RepairRecord>> repairs;
  for (const nightly::FindingRecord& one : cell.findings)
    repairs[one.cause] = nightly::parse_sorted(one.repairs).repairs;
  return repairs;
}

TEST(NightlyShard, OnlyTheKnownRepairOfAFindingIsTried) {
  const Folder folder;
  const auto all = repairs_in(searched(folder / "first", {}));
  std::vector<nightly::KnownRepair> known;
  std::size_t count_of_all = 0;
  for (const auto& [cause, repairs] : all) {
    known.push_back({kPath, repairs.empty() ? "" : repairs.back().words, {cause}});
    count_of_all += repairs.size();
  }
  ASSERT_GT(count_of_all, all.size()) << "there must be something to leave out";
  const auto repairs_with_plan = repairs_in(searched(folder / "second", {.known = known}));
  ASSERT_EQ(repairs_with_plan.size(), all.size());
  for (const auto& [cause, repairs] : all) {
    if (repairs.empty())
      EXPECT_THAT(repairs_with_plan.at(cause), ::testing::IsEmpty());
    else
      EXPECT_THAT(repairs_with_plan.at(cause), ::testing::ElementsAre(repairs.back()));
  }
}

TEST(NightlyShard, AllRepairsAreTriedIfTheKnownOneFails) {
  const Folder folder;
  const auto all = repairs_in(searched(folder / "first", {}));
  std::vector<nightly::KnownRepair> known;
  for (const auto& [cause, repairs] : all)
    if (!repairs.empty()) known.push_back({kPath, "keep what no one has", {cause}});
  ASSERT_FALSE(known.empty());
  EXPECT_EQ(repairs_in(searched(folder / "second", {.known = known})), all);
}

TEST(NightlyShard, KnownRepairsOfOtherFindingsHaveNoEffect) {
  const Folder folder;
  const auto all = repairs_in(searched(folder / "first", {}));
  EXPECT_EQ(repairs_in(searched(folder / "second", {.known = {{kPath, "", {"0"}}}})), all);
}

}  // namespace
}  // namespace harness
