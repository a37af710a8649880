// SPDX-License-Identifier: Apache-2.0
// Every path's driver accepts all tapes, and names its questions by cause.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/core/pick/replay.h"
#include "harness/run/strategies/bytes.h"
#include "harness/run/tests/scenario_cases.h"
#include "harness/run/tests/tape_survival.h"

namespace harness {
namespace {

using testing::sim;

class TestDriver : public ::testing::TestWithParam<const Scenario*> {
 protected:
  const Scenario& scenario() const { return *GetParam(); }
  /// The first unsound variant, which is the path as shipped if that is unsound.
  std::size_t unsound() const {
    const auto fails = [](const VariantInfo& variant) {
      return variant.claim.kind == ClaimKind::unsound;
    };
    const auto found = std::find_if(scenario().variants.begin(), scenario().variants.end(), fails);
    return static_cast<std::size_t>(found - scenario().variants.begin());
  }

  Runner runner_;
};

TEST_P(TestDriver, EveryOpHasAUniqueName) {
  std::set<std::uint32_t> values;
  for (const OpInfo& op : scenario().ops) values.insert(op_value(op.name));
  EXPECT_EQ(values.size(), scenario().ops.size());
}

TEST_P(TestDriver, AnyBytesAreATape) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<std::uint8_t> bytes(mix(seed, 1) % 400);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(mix(seed, i) >> (seed % 3 * 8));
    strategies::Bytes strategy(bytes);
    const Config config = config_at(scenario(), seed % config_count(scenario()));
    const Outcome first = runner_.run(scenario(), unsound(), config, sim(), strategy);
    const auto encoded = strategies::encode(first.tape);
    EXPECT_EQ(strategies::decode(encoded), canonical(first.tape));
    strategies::Bytes again(encoded);
    EXPECT_EQ(runner_.run(scenario(), unsound(), config, sim(), again).faults, first.faults);
  }
}

// The least of all paths; one whose ops hardly touch each other asks more of itself.
TEST_P(TestDriver, DecisionsSurviveTheDeletionOfAnOp) {
  const auto survival = testing::measure_survival(runner_, scenario(), unsound(), sim(), 1000);
  EXPECT_EQ(survival.tapes, 1000u);
  EXPECT_GE(survival.share(), 0.90) << survival.met << " of " << survival.decisions;
}

INSTANTIATE_TEST_SUITE_P(Of, TestDriver,
                         ::testing::ValuesIn(tables::scenarios().begin(),
                                             tables::scenarios().end()),
                         [](const auto& info) { return std::string(info.param->name.view()); });

}  // namespace
}  // namespace harness
