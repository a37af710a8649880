// SPDX-License-Identifier: Apache-2.0
// Random runs of the sound variants reach the judged code, in every path.
#include <gtest/gtest.h>

#include <cstdio>

#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/scenario_cases.h"

namespace harness {
namespace {

constexpr std::uint64_t kRuns = 4000;
constexpr std::uint64_t kPercentMost = 10;  ///< Largest share of the runs that may show nothing.

class Reach : public ::testing::TestWithParam<const Scenario*> {};

std::uint64_t vacuous_runs(const Scenario& scenario, std::size_t variant) {
  Runner runner;
  strategies::RandomWalk walk(1);
  std::uint64_t vacuous = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const Config config = config_at(scenario, run % config_count(scenario));
    vacuous += runner.run(scenario, variant, config, testing::sim(), walk).vacuous;
  }
  return vacuous;
}

TEST_P(Reach, AtMostOneRunInTenIsVacuous) {
  const Scenario& scenario = *GetParam();
  std::size_t sound = 0;
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant) {
    if (scenario.variants[variant].claim.kind != ClaimKind::sound) continue;
    ++sound;
    const std::uint64_t vacuous = vacuous_runs(scenario, variant);
    const char* const name = scenario.variants[variant].name.c_str();
    std::printf("%s/%s: %.1f %% of %llu runs show nothing\n", scenario.name.c_str(), name,
                100.0 * static_cast<double>(vacuous) / kRuns,
                static_cast<unsigned long long>(kRuns));
    EXPECT_LE(100 * vacuous, kPercentMost * kRuns) << name;
  }
  EXPECT_GT(sound, 0u);
}

INSTANTIATE_TEST_SUITE_P(Of, Reach,
                         ::testing::ValuesIn(tables::scenarios().begin(),
                                             tables::scenarios().end()),
                         [](const auto& info) { return std::string(info.param->name.view()); });

}  // namespace
}  // namespace harness
