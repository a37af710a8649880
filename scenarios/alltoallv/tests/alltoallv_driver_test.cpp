#include <gtest/gtest.h>

#include <set>

#include "harness/pick_replay.h"
#include "harness/strategies/bytes.h"
#include "harness/tests/tape_survival.h"
#include "scenarios/alltoallv/plan.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::Outcome;

template <class Check>
void for_each_variant_and_config(Check check) {
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant)
    for (std::size_t config = 0; config < harness::config_count(scenario); ++config) {
      SCOPED_TRACE(std::string(scenario.variants[variant].name.view()) + " " +
                   to_string(scenario, harness::config_at(scenario, config)));
      check(variant, harness::config_at(scenario, config));
    }
}

TEST(AlltoallvDriver, TheEmptyTapeHoldsAndIsVacuous) {
  harness::Runner runner;
  for_each_variant_and_config([&](std::size_t variant, const harness::Config& config) {
    const Outcome& outcome = runner.run(make_case(variant, config));
    EXPECT_EQ(first_signature(outcome), "");
    EXPECT_TRUE(outcome.vacuous);
    EXPECT_EQ(outcome.ops, 0u);
    EXPECT_TRUE(outcome.tape.empty());
  });
}

TEST(AlltoallvDriver, OrdinaryUseHoldsUnlessTheClaimSaysAlways) {
  harness::Runner runner;
  for_each_variant_and_config([&](std::size_t variant, const harness::Config& config) {
    const harness::Claim& claim = scenario.variants[variant].claim;
    const Outcome& outcome = runner.run(make_case(variant, config, plain_program().tape()));
    EXPECT_FALSE(outcome.vacuous);
    if (!claim.always) {
      EXPECT_EQ(first_signature(outcome), "");
      return;
    }
    for (const harness::Fault& fault : outcome.faults)
      EXPECT_EQ(fault.kind, harness::FaultKind::retention);
  });
}

TEST(AlltoallvDriver, AClaimOfAlwaysShowsInOrdinaryUse) {
  harness::Runner runner;
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant) {
    if (!scenario.variants[variant].claim.always) continue;
    const auto config = harness::parse_config(scenario, "C=8 ranks=2");
    EXPECT_TRUE(runner.run(make_case(variant, config, plain_program().tape())).failed())
        << scenario.variants[variant].name.view();
  }
}

TEST(AlltoallvDriver, EveryOpHasANameOfItsOwn) {
  std::set<std::uint32_t> values;
  for (const harness::OpInfo& op : kOps) values.insert(harness::op_value(op.name));
  EXPECT_EQ(values.size(), kOpCount);
}

TEST(AlltoallvDriver, ThePlainThemeOffersEverything) {
  EXPECT_EQ(theme(0).offered, ~Ops{0});
  EXPECT_FALSE(theme(0).renews);
}

TEST(AlltoallvDriver, EveryThemeHasACollective) {
  for (std::uint32_t index = 0; index < kThemeCount; ++index)
    EXPECT_NE(theme(index).offered & ops(Op::alltoallv), 0u) << index;
}

TEST(AlltoallvDriver, DecisionsSurviveTheDeletionOfAnOp) {
  harness::Runner runner;
  const auto survival = harness::testing::measure_survival(
      runner, scenario, variant_named("reread_slot"), sim(), 1000);
  EXPECT_EQ(survival.tapes, 1000u);
  EXPECT_GE(survival.share(), 0.90) << survival.met << " of " << survival.decisions;
}

TEST(AlltoallvDriver, AnyBytesAreATape) {
  harness::Runner runner;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<std::uint8_t> bytes(harness::mix(seed, 1) % 400);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(harness::mix(seed, i) >> (seed % 3 * 8));
    harness::strategies::Bytes strategy(bytes);
    const harness::Config config =
        harness::config_at(scenario, seed % harness::config_count(scenario));
    const Outcome first =
        runner.run(scenario, variant_named("reread_slot"), config, sim(), strategy);
    const auto encoded = harness::strategies::encode(first.tape);
    EXPECT_EQ(harness::strategies::decode(encoded), harness::canonical(first.tape));
    harness::strategies::Bytes again(encoded);
    EXPECT_EQ(runner.run(scenario, variant_named("reread_slot"), config, sim(), again).faults,
              first.faults);
  }
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
