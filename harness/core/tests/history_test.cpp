// SPDX-License-Identifier: Apache-2.0
// The limit of faults per run, for a target with a fault in every turn.
#include "harness/core/history/history.h"
#include "harness/core/fault/kinds.h"

#include <gtest/gtest.h>

#include "harness/run/tests/toy_scenario.h"
#include "harness/search/search.h"

namespace harness {
namespace {

namespace toy = testing::toy;

constexpr Tick kTurns = 100'000;

std::uint64_t looks;  ///< Earlier faults that window_of() has read.

/// Answers with a wrong value in every turn there is.
void drive_at_fault(Scene& scene) {
  scene.world().scheduler.spawn("user", [&scene] {
    scene.exercised();
    for (;;) {
      scene.expect("content", 1, 2);
      scene.world().scheduler.turn({});
    }
  });
}

int window_after_all_before(const Scene& scene, const Fault& fault) {
  for (const Fault& earlier : scene.world().history.faults()) {
    if (&earlier == &fault) break;
    ++looks;
  }
  return 0;
}

Scenario at_fault_in_every_turn() {
  Scenario scenario = toy::scenario;
  scenario.turn_limit = kTurns;
  scenario.drive = drive_at_fault;
  scenario.window_of = window_after_all_before;
  return scenario;
}

Case case_of(const Scenario& scenario) {
  return {&scenario, toy::borrow, config_at(scenario, 0), &toy::no_device, {}};
}

TEST(Faults, TheFirstFaultsOfARunAndTheFatalOneAreKept) {
  const Scenario scenario = at_fault_in_every_turn();
  Runner runner;
  const Outcome& outcome = runner.run(case_of(scenario));
  EXPECT_EQ(outcome.ending, Ending::step_limit);
  ASSERT_EQ(outcome.faults.size(), History::kFaultLimit + 1);
  EXPECT_EQ(outcome.windows.size(), outcome.faults.size());
  EXPECT_EQ(outcome.faults.back().kind, FaultKind::step_limit);
  for (std::size_t i = 0; i < History::kFaultLimit; ++i) {
    EXPECT_EQ(outcome.faults[i].kind, FaultKind::wrong_value);
    EXPECT_LE(outcome.faults[i].tick, i + 1) << "not one of the first";
  }
}

TEST(Faults, ARunWithVeryManyFaultsDoesNotStallASearch) {
  const Scenario scenario = at_fault_in_every_turn();
  SearchOptions options;
  options.strategy = find(tables::strategies(), "random_walk");
  options.device = &toy::no_device;
  options.run_limit = 4;
  options.second_limit = 0;
  options.minimize = false;
  looks = 0;
  Runner runner;
  const SearchResult result = search(runner, scenario, toy::borrow, options);
  EXPECT_EQ(result.tally.faulty_runs, 4u);
  const std::uint64_t run_count = result.tally.runs + 1;  // One replay.
  EXPECT_LE(looks, run_count * History::kFaultLimit * History::kFaultLimit);
}

TEST(Faults, TheLastFatalFaultBeyondTheLimitIsKept) {
  History history;
  const auto add = [&](FaultKind kind, bool fatal, Tick tick) {
    Fault fault;
    fault.kind = kind;
    fault.fatal = fatal;
    fault.tick = tick;
    history.add(std::move(fault));
  };
  for (Tick tick = 0; tick < 300; ++tick) add(FaultKind::wrong_value, false, tick);
  EXPECT_EQ(history.faults().size(), History::kFaultLimit);
  add(FaultKind::use_after_free, true, 300);
  add(FaultKind::crash, true, 301);
  add(FaultKind::retention, false, 302);
  ASSERT_EQ(history.faults().size(), History::kFaultLimit + 1);
  EXPECT_EQ(history.faults().back().kind, FaultKind::crash);
  EXPECT_EQ(history.faults()[History::kFaultLimit - 1].tick, History::kFaultLimit - 1);
  history.begin();
  EXPECT_TRUE(history.faults().empty());
}

}  // namespace
}  // namespace harness
