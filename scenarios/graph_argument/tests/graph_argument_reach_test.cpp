// SPDX-License-Identifier: Apache-2.0
// Random runs get to a launch, on which everything else depends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "harness/run/strategies/random_walk.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Event;
using harness::EventKind;

bool launched(const harness::History& history) {
  const auto& events = history.events();
  return std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.kind == EventKind::call && event.what == harness::Label("cuGraphLaunch") &&
           event.value == 0;
  });
}

TEST(GraphArgumentReach, AtMostOneRunInTenReachesNoLaunch) {
  constexpr std::uint64_t kRuns = 4000;
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  std::uint64_t idle = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const harness::Config config = harness::config_at(scenario, run % config_count(scenario));
    runner.run(scenario, variant_named("retain_per_node"), config, sim(), walk);
    idle += !launched(runner.history());
  }
  std::printf("never launched: %.1f %%\n", 100.0 * double(idle) / kRuns);
  EXPECT_LE(idle * 10, kRuns) << idle << " of " << kRuns;
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
