// A random run gets to what is judged: a store by compiled code.
#include <gtest/gtest.h>

#include "harness/strategies/random_walk.h"
#include "scenarios/managed_dict/tests/managed_dict_cases.h"

namespace scenarios::managed_dict::testing {
namespace {

TEST(ManagedDictReach, FewRunsNeverGetToACompiledStore) {
  constexpr int kRuns = 10'000;
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  int without = 0;
  for (int i = 0; i < kRuns; ++i) {
    const harness::Config config{
        {static_cast<std::uint8_t>(i % 3), static_cast<std::uint8_t>(i / 3 % 2)}};
    walk.begin();
    without += runner.run(scenario, variant_named("stock"), config, sim(), walk).vacuous;
  }
  std::printf("%d of %d runs never get to a compiled store\n", without, kRuns);
  RecordProperty("share_without_a_compiled_store_percent", 100 * without / kRuns);
  EXPECT_LE(100 * without, 14 * kRuns);  // Some runs leave out all ops that compile.
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
