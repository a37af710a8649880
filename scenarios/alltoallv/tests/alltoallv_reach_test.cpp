// A random run gets to what is judged: a copy.
#include <gtest/gtest.h>

#include "harness/strategies/random_walk.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

/// Of `count` runs, over all configs in turn.
int runs_without_a_copy(int count) {
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  int without = 0;
  for (int i = 0; i < count; ++i) {
    harness::Config config{};
    int rest = i;
    for (std::size_t axis = 0; axis < scenario.axes.size(); ++axis) {
      const auto values = static_cast<int>(scenario.axes[axis].values.size());
      config.values[axis] = static_cast<std::uint8_t>(rest % values);
      rest /= values;
    }
    walk.begin();
    without += runner.run(scenario, variant_named("snapshot_region"), config, sim(), walk).vacuous;
  }
  return without;
}

TEST(AlltoallvReach, AtMostATenthOfAllRunsNeverGetsToACopy) {
  constexpr int kRuns = 4000;
  const int without = runs_without_a_copy(kRuns);
  std::printf("%d of %d runs never get to a copy\n", without, kRuns);
  RecordProperty("share_without_a_copy_percent", 100 * without / kRuns);
  EXPECT_LE(10 * without, kRuns);
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
