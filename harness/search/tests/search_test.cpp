// SPDX-License-Identifier: Apache-2.0
#include "harness/search/search.h"
#include "harness/core/fault/kinds.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "harness/run/tests/toy_scenario.h"

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

TEST(Search, FindsTheClaimedHazardsOfEachVariant) {
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

/// Two faults with one key are one finding.
using Key = std::pair<std::string, int>;

/// Ops, then choices.
std::pair<std::ptrdiff_t, std::size_t> size_of(const Tape& tape) {
  const auto ops = std::count_if(tape.begin(), tape.end(), [](const Decision& decision) {
    return decision.site_tag == site_tag(Site::op);
  });
  return {ops, tape.size()};
}

TEST(Search, KeepsTheSmallestRunOfEachBug) {
  SearchOptions options = options_for(4000);
  options.minimize = false;
  std::map<Key, std::pair<std::ptrdiff_t, std::size_t>> smallest;
  Runner runner;
  const auto walk = options.strategy->make(options.seed);
  for (std::size_t run = 0; run < options.run_limit; ++run) {
    const Config config = config_at(toy::scenario, run % config_count(toy::scenario));
    const Outcome& outcome = runner.run(toy::scenario, toy::borrow, config, toy::no_device, *walk);
    for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
      const Key key{outcome.faults[i].signature(), outcome.windows[i]};
      const auto size = size_of(outcome.tape);
      const auto known = smallest.emplace(key, size).first;
      known->second = std::min(known->second, size);
    }
  }
  const SearchResult result = search_toy(toy::borrow, options);
  EXPECT_EQ(result.findings.size(), smallest.size());
  for (const Finding& finding : result.findings)
    EXPECT_EQ(size_of(finding.found.the_case.tape), (smallest[{finding.signature, finding.window}]))
        << finding.signature;
}

// Early faults are one window's and late ones another's, so that minimizing would lead from the one
// to the other.
int by_time(const Scene&, const Fault& fault) { return fault.tick < 12 ? 0 : 1; }

TEST(Search, KeepsACasePerSignatureAndWindowAndMinimizesItThere) {
  Scenario timed = toy::scenario;
  timed.window_of = by_time;
  Runner runner;
  const SearchResult result = search(runner, timed, toy::borrow, options_for(6000));
  std::map<std::string, std::set<int>> windows;
  for (const Finding& finding : result.findings) {
    EXPECT_TRUE(windows[finding.signature].insert(finding.window).second) << finding.signature;
    EXPECT_TRUE(finding.is_minimized) << finding.signature;
    const Outcome& outcome = runner.run(finding.reproducer.the_case);
    bool shown = false;
    for (std::size_t i = 0; i < outcome.faults.size(); ++i)
      shown |= outcome.windows[i] == finding.window &&
               outcome.faults[i].signature() == finding.signature;
    EXPECT_TRUE(shown) << finding.signature << " in window " << finding.window;
  }
  EXPECT_TRUE(std::any_of(windows.begin(), windows.end(),
                          [](const auto& row) { return row.second.size() == 2; }));
}

TEST(Search, CountsTheFaultsOfOneWindowOnRequest) {
  Scenario timed = toy::scenario;
  timed.window_of = by_time;
  SearchOptions options = options_for(6000);
  options.window = 1;
  Runner runner;
  const SearchResult result = search(runner, timed, toy::borrow, options);
  ASSERT_FALSE(result.findings.empty());
  for (const Finding& finding : result.findings) EXPECT_EQ(finding.window, 1);
  EXPECT_EQ(result.tally.faulty_runs, result.windows[1].caught);
  EXPECT_EQ(result.windows[0].caught, 0u);
  EXPECT_EQ(result.verdict, Verdict::refuted) << "of that window the claim says nothing";
}

TEST(Search, NamesUnclaimedHazards) {
  Scenario timed = toy::scenario;
  timed.window_of = by_time;
  Runner runner;
  const SearchResult result = search(runner, timed, toy::borrow, options_for(4000));
  EXPECT_EQ(result.verdict, Verdict::caught);
  const std::string name(timed.windows[1].name.view());
  EXPECT_EQ(result.names_of(Standing::outside), std::vector{name});
  const SearchResult claimed = search_toy(toy::borrow, options_for(4000));
  EXPECT_TRUE(claimed.names_of(Standing::outside).empty());
}

TEST(Search, ARowPerWindowHasItsArrivalsAndTheirResults) {
  const SearchResult result = search_toy(toy::borrow, options_for(4000));
  ASSERT_GE(result.rows.size(), 2u);
  const StandingRow& stale = result.rows[0];
  EXPECT_TRUE(stale.hazard == toy::scenario.windows[0].name);
  EXPECT_TRUE(stale.claimed);
  EXPECT_EQ(stale.standing, Standing::open);
  EXPECT_EQ(stale.arrivals.reached, result.windows[0].reached);
  EXPECT_EQ(stale.arrivals.caught, result.windows[0].caught);
  for (const StandingRow& row : result.rows) EXPECT_LE(row.arrivals.caught, row.arrivals.reached);
}

TEST(Search, FaultsWithoutAWindowHaveTheirOwnRow) {
  Scenario wordless = toy::scenario;
  wordless.window_of = [](const Scene&, const Fault&) { return -1; };
  Runner runner;
  const SearchResult result = search(runner, wordless, toy::borrow, options_for(2000));
  std::uint64_t unexplained = 0;
  for (const StandingRow& row : result.rows)
    if (row.unexplained) unexplained += row.arrivals.caught;
  EXPECT_GE(unexplained, result.tally.faulty_runs);
  EXPECT_FALSE(result.names_of(Standing::outside).empty());
  for (const StandingRow& row : search_toy(toy::hoard, options_for(2000)).rows)
    EXPECT_FALSE(row.unexplained) << "leak has no place";
}

int even_or_odd(const Scene&, const Fault& fault) { return static_cast<int>(fault.tick % 2); }

TEST(Search, EachWayInHasItsOwnRow) {
  static constexpr Label kWays[] = {"even", "odd"};
  Scenario ways = toy::scenario;
  ways.ways = kWays;
  ways.way_of = even_or_odd;
  Runner runner;
  const SearchResult result = search(runner, ways, toy::borrow, options_for(4000));
  ASSERT_GE(result.rows.size(), 4u);
  EXPECT_EQ(result.rows[0].name(), "stale/even");
  EXPECT_EQ(result.rows[1].name(), "stale/odd");
  EXPECT_GT(result.rows[0].arrivals.caught, 0u);
  EXPECT_GT(result.rows[1].arrivals.caught, 0u);
  EXPECT_EQ(result.rows[1].arrivals.strayed, result.rows[1].arrivals.caught)
      << "the toy path says that all come by the first";
}

// Whatever a broken heap shows later is the break's, not another way in.
TEST(Search, FaultsThatFollowAClaimedFaultDoNotRefuteTheClaim) {
  Scenario shaken = toy::scenario;
  shaken.judge = [](Scene& scene) {
    if (scene.world().history.faults().empty()) return;
    Fault fault;
    fault.kind = FaultKind::wrong_value;
    fault.object_kind = "aftershock";
    scene.world().history.add(std::move(fault));
  };
  Runner runner;
  const SearchResult result = search(runner, shaken, toy::borrow, options_for(2000));
  EXPECT_TRUE(std::any_of(
      result.findings.begin(), result.findings.end(),
      [](const Finding& finding) { return finding.fault.object_kind == "aftershock"; }));
  EXPECT_TRUE(result.names_of(Standing::outside).empty());
}

TEST(Search, ReportsASmallestRunThatLostItsFault) {
  static bool asleep;
  asleep = false;
  Scenario sleepy = toy::scenario;
  sleepy.drive = [](Scene& scene) {
    if (!asleep) toy::scenario.drive(scene);
  };
  SearchOptions options = options_for(2000);
  options.minimize = false;
  options.progress_seconds = 0;
  options.progress = [](const SearchResult& result) { asleep = result.tally.runs >= 1500; };
  Runner runner;
  const SearchResult result = search(runner, sleepy, toy::borrow, options);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_TRUE(result.nondeterministic);
  EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(),
                          [](const Finding& finding) { return finding.nondeterministic; }));
}

TEST(Search, ReportsAMinimizedRunThatLostItsFault) {
  static std::uint64_t run_count;
  static std::uint64_t runs_awake;
  Scenario sleepy = toy::scenario;
  sleepy.drive = [](Scene& scene) {
    if (run_count++ < runs_awake) toy::scenario.drive(scene);
  };
  const SearchOptions options = options_for(300);
  for (runs_awake = 330; runs_awake < 1000; runs_awake += 35) {
    run_count = 0;
    Runner runner;
    const SearchResult result = search(runner, sleepy, toy::borrow, options);
    ASSERT_FALSE(result.findings.empty());
    ASSERT_GT(run_count, runs_awake) << "asleep while minimizing";
    EXPECT_TRUE(result.nondeterministic) << runs_awake;
    for (const Finding& finding : result.findings) {
      const std::vector<std::string>& faults = finding.reproducer.faults;
      EXPECT_EQ(std::count(faults.begin(), faults.end(), finding.signature), 1) << runs_awake;
    }
  }
}

TEST(Search, IsAFunctionOfSeedAndRunsHoweverSlowTheMachine) {
  static auto pause = std::chrono::microseconds(0);
  Scenario slow = toy::scenario;
  slow.judge = [](Scene&) { std::this_thread::sleep_for(pause); };
  SearchOptions options = options_for(40);
  options.second_limit = 0;
  const auto found_after = [&](std::chrono::microseconds each) {
    pause = each;
    Runner runner;
    std::string text;
    for (const Finding& finding : search(runner, slow, toy::borrow, options).findings)
      text += finding.minimized.statement + "\n" + to_string(finding.reproducer);
    return text;
  };
  const std::string quick = found_after(std::chrono::microseconds(0));
  EXPECT_NE(quick, "");
  EXPECT_EQ(found_after(std::chrono::milliseconds(3)), quick);
}

TEST(Search, ReportsAFindingBeforeTheNextRun) {
  static std::uint64_t runs;
  runs = 0;
  Scenario counted = toy::scenario;
  counted.judge = [](Scene&) { ++runs; };
  SearchOptions options = options_for(2000);
  std::set<std::uint64_t> reported;  // Runs; each was replayed once.
  options.found = [&](const Finding& finding) {
    if (!reported.insert(finding.first_run).second) return;
    EXPECT_EQ(runs, finding.first_run + reported.size());
  };
  options.minimize = false;
  options.run_limit = 30;
  Runner runner;
  search(runner, counted, toy::borrow, options);
  EXPECT_FALSE(reported.empty());
}

TEST(Search, UsesAllItsTime) {
  SearchOptions options = options_for(0);
  options.second_limit = 1;
  const SearchResult held = search_toy(toy::retain, options);
  EXPECT_GT(held.seconds, 0.97);
  const SearchResult caught = search_toy(toy::borrow, options);
  EXPECT_GT(caught.seconds + caught.minimize_seconds, 0.97);
}

TEST(Search, ContinuesUntilTheClaimHasEnoughRuns) {
  Scenario slow = toy::scenario;
  slow.judge = [](Scene&) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  SearchOptions options = options_for(0);
  options.second_limit = 0.01;
  Runner runner;
  EXPECT_EQ(search(runner, slow, toy::retain, options).verdict, Verdict::too_few_runs);
  options.overtime_seconds = 60;
  const SearchResult result = search(runner, slow, toy::retain, options);
  EXPECT_EQ(result.verdict, Verdict::held);
  EXPECT_LT(result.tally.runs, 2000u);
}

TEST(Search, ReportsAMinimizationCutOffByTime) {
  Scenario slow = toy::scenario;
  slow.judge = [](Scene&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  SearchOptions options = options_for(30);
  EXPECT_FALSE(search_toy(toy::borrow, options).cut_short);
  Runner runner;
  options.run_limit = 0;
  options.second_limit = 0.1;
  EXPECT_TRUE(search(runner, slow, toy::borrow, options).cut_short);
}

TEST(Search, ReportsFindingsNotMinimized) {
  SearchOptions options = options_for(2000);
  for (const Finding& finding : search_toy(toy::borrow, options).findings)
    EXPECT_TRUE(finding.is_minimized) << finding.signature;
  options.minimize = false;
  for (const Finding& finding : search_toy(toy::borrow, options).findings)
    EXPECT_FALSE(finding.is_minimized) << finding.signature;
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

TEST(Search, CyclesThroughAllConfigs) {
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

TEST(Search, CountsReachedWindowsAndOps) {
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

TEST(Search, KeepsItsFindingsWhenStopped) {
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

TEST(Search, KeepsAtMostTheRequestedFindings) {
  SearchOptions options = options_for(20'000);
  options.finding_limit = 1;
  const SearchResult result = search_toy(toy::borrow, options);
  EXPECT_EQ(result.findings.size(), 1u);
  EXPECT_GT(result.further_signatures, 0u);
}

}  // namespace
}  // namespace harness
