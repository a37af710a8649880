// SPDX-License-Identifier: Apache-2.0
// Random runs reach what is judged: a copy, and often enough the states that are hard to handle.
#include <cuda.h>
#include <gtest/gtest.h>

#include "harness/run/strategies/random_walk.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::Event;
using harness::EventKind;
using harness::Label;

/// Returns whether a mapping was refused until another thread of the process closed the one at its
/// address, in a run without injected errors.
bool is_blocked(const harness::Runner& runner) {
  const harness::World& world = runner.world();
  if (world.injected_failures > 0) return false;
  const auto process_of = [&](std::uint16_t task) {
    return world.scheduler.tasks().process(static_cast<harness::TaskId>(task));
  };
  int refusals = 0;
  std::uint16_t refused = 0xffff;
  for (const Event& event : runner.history().events()) {
    if (event.kind != EventKind::call) continue;
    if (event.what == Label("cuIpcOpenMemHandle")) {
      refusals = event.value == CUDA_ERROR_ALREADY_MAPPED ? refusals + 1 : 0;
      if (refusals >= 3) refused = event.task;
    } else if (event.what == Label("cuIpcCloseMemHandle") && refused != 0xffff &&
               process_of(event.task) == process_of(refused)) {
      if (event.task != refused) return true;
      refused = 0xffff;
    }
  }
  return false;
}

/// Returns whether a thread without a context frees memory of its process.
bool is_freed_without_a_context(const harness::Runner& runner) {
  const harness::Scheduler& scheduler = runner.world().scheduler;
  for (const Event& event : runner.history().events())
    if (event.kind == EventKind::call && event.what == Label("cuMemFree") && event.task != 0xffff &&
        scheduler.tasks().label(static_cast<harness::TaskId>(event.task)) == Label("garbage"))
      return true;
  return false;
}

struct Reach {
  int without_a_copy = 0;
  int blocked = 0;
  int freed_elsewhere = 0;
  std::vector<int> windows = std::vector<int>(scenario.windows.size());
};

/// Makes `count` runs, cycling through all configs.
Reach reach_of(int count) {
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  Reach reach;
  for (int i = 0; i < count; ++i) {
    harness::Config config{};
    int rest = i;
    for (std::size_t axis = 0; axis < scenario.axes.size(); ++axis) {
      const auto values = static_cast<int>(scenario.axes[axis].values.size());
      config.values[axis] = static_cast<std::uint8_t>(rest % values);
      rest /= values;
    }
    walk.begin();
    const harness::Outcome& outcome =
        runner.run(scenario, variant_named("snapshot_region"), config, sim(), walk);
    reach.without_a_copy += outcome.vacuous;
    for (std::size_t window = 0; window < scenario.windows.size(); ++window)
      reach.windows[window] += outcome.reached >> window & 1;
    reach.blocked += is_blocked(runner);
    reach.freed_elsewhere += is_freed_without_a_context(runner);
  }
  return reach;
}

TEST(AlltoallvReach, RandomRunsReachTheWindows) {
  constexpr int kRuns = 4000;
  const Reach reach = reach_of(kRuns);
  std::printf(
      "of %d runs, %d never get to a copy, %d wait for a mapping of another thread, "
      "%d free on a thread without a context\n",
      kRuns, reach.without_a_copy, reach.blocked, reach.freed_elsewhere);
  RecordProperty("share_without_a_copy_percent", 100 * reach.without_a_copy / kRuns);
  EXPECT_LE(10 * reach.without_a_copy, kRuns);
  EXPECT_GE(reach.blocked, 2);
  EXPECT_GE(reach.freed_elsewhere, 20);
  for (std::size_t window = 0; window < scenario.windows.size(); ++window)
    EXPECT_GE(reach.windows[window], 4) << scenario.windows[window].name.view();
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
