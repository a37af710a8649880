// A shard, run here: what it makes of a replay in a fresh process.
#include "harness/nightly/shard.h"

#include <gtest/gtest.h>

#include "harness/nightly/cause.h"
#include "harness/tests/child.h"

namespace harness {
namespace {

/// Returns "path/variant" of an unsound variant of some path.
std::string some_canary() {
  for (const Scenario* scenario : tables::scenarios())
    for (const VariantInfo& variant : scenario->variants)
      if (variant.claim.kind == ClaimKind::unsound)
        return std::string(scenario->name.view()) + "/" + std::string(variant.name.view());
  return {};
}

/// Runs a canary for a while; every replay says `difference` of each file, or nothing at all.
nightly::CellRecord searched(const std::string& folder, const char* difference,
                             std::string* phases = nullptr) {
  nightly::Services services;
  services.strategy = find(tables::strategies(), "random_walk");
  services.device = find(tables::devices(), "sim");
  services.repair_runs = 6;
  int count = 0;
  services.write = [&](const std::string& place, const Finding& finding) {
    const std::string file = std::to_string(++count) + ".repro";
    write_reproducer(place + "/" + file, finding.reproducer);
    return file;
  };
  services.replay = [&](const std::string&) {
    std::map<std::string, std::string> said;
    for (int i = 1; i <= count && difference != nullptr; ++i)
      said[std::to_string(i) + ".repro"] = difference;
    return said;
  };
  services.phase = [&](nightly::Phase phase) {
    if (phases != nullptr) *phases += std::string(to_text(phase)) + " ";
  };
  const nightly::Plan plan =
      nightly::make_plan({.budget = {300, 0}, .target = some_canary()}, tables::scenarios());
  Runner runner;
  return nightly::run_shard(runner, plan, 1, folder, services).record.cells.at(0);
}

TEST(NightlyShard, AFindingCountsOnlyAsAFreshProcessReplaysIt) {
  const Folder folder;
  const nightly::CellRecord same = searched(folder / "same", "");
  const nightly::CellRecord other = searched(folder / "other", "the trace is another");
  const nightly::CellRecord silent = searched(folder / "silent", nullptr);
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

TEST(NightlyShard, TellsWhatItIsDoing) {
  const Folder folder;
  std::string phases;
  searched(folder.path(), "", &phases);
  EXPECT_EQ(phases, "run minimize record replay triage record record ");
}

}  // namespace
}  // namespace harness
