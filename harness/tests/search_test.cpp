#include "harness/search.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/tests/toy_scenario.h"

namespace harness {
namespace {

namespace toy = testing::toy;

SearchOptions options_for(std::uint64_t run_limit) {
  SearchOptions options;
  options.strategy = find(tables::strategies(), "random_walk");
  options.device = &toy::no_device;
  options.run_limit = run_limit;
  options.second_limit = 60;
  return options;
}

SearchResult search_toy(toy::Variant variant, const SearchOptions& options) {
  Runner runner;
  return search(runner, toy::scenario, variant, options);
}

TEST(Search, FindsWhatEachVariantClaims) {
  const SearchOptions options = options_for(20'000);
  EXPECT_EQ(search_toy(toy::borrow, options).verdict, Verdict::caught);
  EXPECT_EQ(search_toy(toy::retain, options).verdict, Verdict::held);
  EXPECT_EQ(search_toy(toy::hoard, options).verdict, Verdict::caught);
  EXPECT_EQ(search_toy(toy::idle, options).verdict, Verdict::vacuous);
}

TEST(Search, KeepsOneMinimizedReproducerPerSignature) {
  const SearchResult result = search_toy(toy::borrow, options_for(20'000));
  std::set<std::string> signatures;
  Runner runner;
  ASSERT_FALSE(result.findings.empty());
  for (const Finding& finding : result.findings) {
    EXPECT_TRUE(signatures.insert(finding.signature).second);
    EXPECT_EQ(finding.reproducer.the_case.tape, finding.minimized.the_case.tape);
    EXPECT_LT(finding.reproducer.the_case.tape.size(), 10u);
    runner.run(finding.reproducer.the_case);
    EXPECT_EQ(runner.trace_hash(), finding.reproducer.trace);
    EXPECT_GE(finding.count, 1u);
    EXPECT_GE(finding.first_run, result.first_fault_run);
  }
}

TEST(Search, KeepsTheRunWithTheFewestOpsOfEachBug) {
  SearchOptions options = options_for(20'000);
  options.minimize = false;
  const auto op_count = [](const Finding& finding) {
    const Tape& tape = finding.found.the_case.tape;
    return std::count_if(tape.begin(), tape.end(), [](const Decision& decision) {
      return decision.site_tag == site_tag(Site::op);
    });
  };
  Runner runner;
  for (const Finding& finding : search_toy(toy::borrow, options).findings) {
    if (finding.count > 1000) {
      EXPECT_LE(op_count(finding), 6) << finding.signature;
    }
    runner.run(finding.found.the_case);
    EXPECT_EQ(runner.trace_hash(), finding.found.trace);
  }
}

TEST(Search, GoesRoundAllConfigs) {
  const SearchResult result = search_toy(toy::retain, options_for(1000));
  ASSERT_EQ(result.configs.size(), config_count(toy::scenario));
  for (const ConfigTally& config : result.configs) EXPECT_EQ(config.tally.runs, 250u);
  EXPECT_EQ(result.tally.runs, 1000u);
}

TEST(Search, KeepsToTheConfigsItIsGiven) {
  SearchOptions options = options_for(100);
  options.configs = {config_at(toy::scenario, 2)};
  const SearchResult result = search_toy(toy::retain, options);
  ASSERT_EQ(result.configs.size(), 1u);
  EXPECT_EQ(result.configs[0].config, config_at(toy::scenario, 2));
}

TEST(Search, CountsWhatWasReachedAndWhichOpsRan) {
  const SearchResult result = search_toy(toy::borrow, options_for(10'000));
  EXPECT_GT(result.windows[0].reached, 1000u);
  EXPECT_GT(result.windows[0].caught, 100u);
  for (const std::uint64_t runs : result.ops) EXPECT_GT(runs, 1000u);
}

TEST(Search, IsAFunctionOfItsSeed) {
  SearchOptions options = options_for(5000);
  const SearchResult one = search_toy(toy::borrow, options);
  const SearchResult two = search_toy(toy::borrow, options);
  EXPECT_EQ(one.first_fault_run, two.first_fault_run);
  EXPECT_EQ(one.tally.faulty_runs, two.tally.faulty_runs);
  options.seed = 2;
  EXPECT_NE(search_toy(toy::borrow, options).tally.faulty_runs, one.tally.faulty_runs);
}

TEST(Search, StopsAtTheFirstFaultOnRequest) {
  SearchOptions options = options_for(20'000);
  options.stop_at_first = true;
  const SearchResult result = search_toy(toy::borrow, options);
  EXPECT_EQ(result.tally.runs, result.first_fault_run);
}

TEST(Search, KeepsWhatItFoundWhenStoppedFromOutside) {
  std::atomic<bool> stop = false;
  SearchOptions options = options_for(0);
  options.stop = &stop;
  options.progress_seconds = 0;
  options.progress = [&](const SearchResult& result) { stop = !result.findings.empty(); };
  const SearchResult result = search_toy(toy::borrow, options);
  EXPECT_TRUE(result.stopped);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_FALSE(result.findings[0].reproducer.the_case.tape.empty());
}

TEST(Search, ReportsARunThatDiffersFromItself) {
  static std::uint64_t run_number;
  run_number = 0;
  Scenario moody = toy::scenario;
  moody.judge = [](Scene& scene) {
    scene.world().scheduler.note(EventKind::note, "mood", 0, ++run_number);
  };
  Runner runner;
  const SearchResult result = search(runner, moody, toy::borrow, options_for(2000));
  EXPECT_TRUE(result.nondeterministic);
  EXPECT_TRUE(result.findings.at(0).nondeterministic);
}

TEST(Search, KeepsNoMoreFindingsThanAsked) {
  SearchOptions options = options_for(20'000);
  options.finding_limit = 1;
  const SearchResult result = search_toy(toy::borrow, options);
  EXPECT_EQ(result.findings.size(), 1u);
  EXPECT_GT(result.further_signatures, 0u);
}

}  // namespace
}  // namespace harness
