#include <gtest/gtest.h>

#include <set>

#include "harness/pick_replay.h"
#include "harness/strategies/bytes.h"
#include "harness/tests/tape_survival.h"
#include "scenarios/graph_argument/offer.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"

namespace scenarios::graph_argument::testing {
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

TEST(GraphArgumentDriver, TheEmptyTapeHoldsAndIsVacuous) {
  harness::Runner runner;
  for_each_variant_and_config([&](std::size_t variant, const harness::Config& config) {
    const Outcome& outcome = runner.run(make_case(variant, config));
    EXPECT_EQ(first_signature(outcome), "");
    EXPECT_TRUE(outcome.vacuous);
    EXPECT_EQ(outcome.ops, 0u);
    EXPECT_TRUE(outcome.tape.empty());
  });
}

TEST(GraphArgumentDriver, OrdinaryUseHoldsUnlessTheClaimSaysAlways) {
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

TEST(GraphArgumentDriver, AClaimOfAlwaysShowsInOrdinaryUse) {
  harness::Runner runner;
  for (std::size_t variant = 0; variant < scenario.variants.size(); ++variant) {
    if (!scenario.variants[variant].claim.always) continue;
    const auto config = harness::parse_config(scenario, "default_stream=legacy");
    EXPECT_TRUE(runner.run(make_case(variant, config, plain_program().tape())).failed())
        << scenario.variants[variant].name.view();
  }
}

TEST(GraphArgumentDriver, EveryOpHasANameOfItsOwn) {
  std::set<std::uint32_t> values;
  for (const harness::OpInfo& op : kOps) values.insert(harness::op_value(op.name));
  EXPECT_EQ(values.size(), kOpCount);
}

TEST(GraphArgumentDriver, ThePlainThemeOffersEverythingThatIsPossible) {
  Situation now;
  now.census = {.buffers = kBufferVariables, .modules = kModuleVariables};
  for (const std::uint32_t task : {0u, 1u}) EXPECT_EQ(offer(theme(0), task, now), applicable(now));
  for (std::uint32_t index = 1; index < kThemeCount; ++index)
    EXPECT_EQ(offer(theme(index), 0, now) & ~applicable(now), 0u);
}

TEST(GraphArgumentDriver, EveryThemeLeadsToANode) {
  Situation now;
  now.census = {.buffers = kBufferVariables,
                .modules = kModuleVariables,
                .definitions = kDefinitionVariables};
  for (std::uint32_t index = 0; index < kThemeCount; ++index)
    EXPECT_NE(offer(theme(index), 0, now) & ops(Op::add_kernel, Op::add_memset, Op::add_child), 0u)
        << index;
}

TEST(GraphArgumentDriver, WithoutADefinitionThereIsNothingToLaunch) {
  EXPECT_EQ(applicable(Situation{}) & ops(Op::add_kernel, Op::instantiate, Op::launch, Op::drop),
            0u);
}

TEST(GraphArgumentDriver, DecisionsSurviveTheDeletionOfAnOp) {
  harness::Runner runner;
  const auto survival =
      harness::testing::measure_survival(runner, scenario, variant_named("borrow"), sim(), 1000);
  EXPECT_EQ(survival.tapes, 1000u);
  EXPECT_GE(survival.share(), 0.95) << survival.met << " of " << survival.decisions;
}

TEST(GraphArgumentDriver, AnyBytesAreATape) {
  harness::Runner runner;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::vector<std::uint8_t> bytes(harness::mix(seed, 1) % 400);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(harness::mix(seed, i) >> (seed % 3 * 8));
    harness::strategies::Bytes strategy(bytes);
    const harness::Config config =
        harness::config_at(scenario, seed % harness::config_count(scenario));
    const Outcome first = runner.run(scenario, variant_named("borrow"), config, sim(), strategy);
    const auto encoded = harness::strategies::encode(first.tape);
    EXPECT_EQ(harness::strategies::decode(encoded), harness::canonical(first.tape));
    harness::strategies::Bytes again(encoded);
    EXPECT_EQ(runner.run(scenario, variant_named("borrow"), config, sim(), again).faults,
              first.faults);
  }
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
