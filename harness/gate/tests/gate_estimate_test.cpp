// SPDX-License-Identifier: Apache-2.0
// The gate's statistics: quantiles, confidence intervals and their coverage, Holm's correction,
// verdicts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/gate/estimate.h"
#include "harness/gate/futility.h"
#include "harness/gate/holm.h"
#include "harness/gate/rule.h"
#include "harness/gate/tests/gate_machine.h"

namespace harness {
namespace {

using gate::Estimate;
using gate::Series;
using gate::Verdict;
using ::testing::ElementsAre;
using testing::Machine;
using testing::Noise;

/// Returns `rounds` rounds of one benchmark on the machine.
Series measured(const Noise& noise, std::size_t rounds, double slowdown, std::uint64_t seed) {
  Machine machine(noise, 1, slowdown, seed);
  Series series;
  for (std::size_t round = 0; round < rounds; ++round) {
    const gate::Round one = *machine.measure({0, round, {}});
    series.push_back({one.base.at("b0"), one.head.at("b0")});
  }
  return series;
}

const Noise& noise_named(std::string_view name) {
  for (const Noise& noise : testing::all_noise())
    if (name == noise.name) return noise;
  std::abort();
}

gate::Terms quick_terms(std::uint64_t seed = 1) { return {.resamples = 1000, .seed = seed}; }

// ---- quantiles ----

TEST(GateQuantile, InterpolatesBetweenTheTwoNeighbors) {
  const std::vector<double> values{1, 2, 4, 8, 16};
  EXPECT_DOUBLE_EQ(gate::quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(gate::quantile(values, 0.2), 1.8);
  EXPECT_DOUBLE_EQ(gate::quantile(values, 0.5), 4);
  EXPECT_DOUBLE_EQ(gate::quantile(values, 1), 16);
}

// ---- one estimate ----

TEST(GateEstimate, AConstantFactorIsEstimatedExactly) {
  Series series = measured(noise_named("some_hogs"), 20, 0, 3);
  for (gate::Pair& pair : series) pair.head = pair.base * 1.03;
  using Compare = Estimate (*)(const Series&, const gate::Terms&);
  for (const Compare compare :
       {&gate::compare_quantiles, &gate::compare_pairs, static_cast<Compare>(&gate::estimate)}) {
    const Estimate found = compare(series, quick_terms());
    EXPECT_NEAR(found.log_ratio, std::log(1.03), 1e-12);
    EXPECT_NEAR(found.low, std::log(1.03), 1e-12) << "rounds are resampled whole";
    EXPECT_NEAR(found.high, std::log(1.03), 1e-12);
  }
}

TEST(GateEstimate, ExchangingTheSidesInvertsTheRatio) {
  const Series series = measured(noise_named("quiet"), 40, 0.02, 5);
  Series exchanged;
  for (const gate::Pair& pair : series) exchanged.push_back({pair.head, pair.base});
  const Estimate one = gate::estimate(series, quick_terms());
  const Estimate other = gate::estimate(exchanged, quick_terms());
  EXPECT_DOUBLE_EQ(one.log_ratio, -other.log_ratio);
  EXPECT_NEAR(one.low, -other.high, 1e-12);
  EXPECT_DOUBLE_EQ(one.p_slower, other.p_faster);
}

TEST(GateEstimate, IsAFunctionOfTheSamplesAndTheSeed) {
  const Series series = measured(noise_named("quiet"), 20, 0, 7);
  EXPECT_EQ(gate::estimate(series, quick_terms()), gate::estimate(series, quick_terms()));
  EXPECT_NE(gate::estimate(series, quick_terms()), gate::estimate(series, quick_terms(2)));
}

TEST(GateEstimate, TheIntervalAgreesWithThePValue) {
  for (const Noise& noise : testing::all_noise())
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Series series = measured(noise, 20, 0.01, seed);
      gate::Terms terms = quick_terms();
      terms.margin = std::log1p(0.005);
      const Estimate found = gate::compare_pairs(series, terms);
      EXPECT_EQ(found.low > terms.margin, found.p_slower <= terms.tail) << noise.name;
    }
}

// The table of the binomial distribution: 3 of 20 or fewer heads have a chance of 0.00129.
TEST(GateEstimate, TheMedianOfPairsHasTheIntervalOfTheSignTest) {
  Series series;
  for (int i = 1; i <= 20; ++i) series.push_back({1, std::exp(i / 1000.0)});
  gate::Terms terms;
  terms.margin = 0.0035;
  const Estimate found = gate::compare_pairs(series, terms);
  EXPECT_NEAR(found.log_ratio, 0.0105, 1e-12);
  EXPECT_NEAR(found.low, 0.004, 1e-12);
  EXPECT_NEAR(found.high, 0.017, 1e-12);
  EXPECT_NEAR(found.p_slower, 0.00128841, 1e-7);
  series.resize(7);
  EXPECT_TRUE(std::isinf(gate::compare_pairs(series, terms).high)) << "7 rounds tell nothing";
}

// Random memory layouts, a fifth of them fast: the quantile of either side jumps between them, and
// its interval is wide; pairs are not affected.
TEST(GateEstimate, PairsDecideWhenQuantilesJump) {
  const Series series = measured(noise_named("few_fast"), 80, 0.03, 1);
  const Estimate found = gate::estimate(series, quick_terms());
  EXPECT_GT(gate::compare_quantiles(series, quick_terms()).noise_floor(), 0.03);
  EXPECT_EQ(found.statistic, gate::Statistic::paired_median);
  EXPECT_NEAR(found.log_ratio, std::log(1.03), 0.01);
  const Series quiet = measured(noise_named("quiet"), 80, 0.03, 1);
  EXPECT_EQ(gate::estimate(quiet, quick_terms()).statistic, gate::Statistic::low_quantile);
}

// 200 000 are asked for. A block says whether it must end once.
TEST(GateEstimate, OnlyEstimatesNearAFindingAreFullyResampled) {
  const auto resamples_of = [](double slowdown) {
    const Series series = measured(noise_named("quiet"), 20, slowdown, 5);
    const gate::Terms terms{.margin = std::log1p(0.005), .resamples = 200'000};
    std::size_t blocks = 0;
    gate::estimate(series, terms, {20, terms.seed, 0}, [&] { return ++blocks == 0; });
    return blocks * gate::Resamples::kLanes;
  };
  EXPECT_EQ(resamples_of(0), 10'000U);
  EXPECT_EQ(resamples_of(0.2), 200'000U);
  EXPECT_EQ(resamples_of(-0.2), 200'000U);
}

TEST(GateEstimate, SharedResamplesGiveTheSameEstimate) {
  for (const std::size_t rounds : {20U, 40U, 500U}) {  // No resample of 500 rounds is kept.
    const Series series = measured(noise_named("quiet"), rounds, 0.02, 5);
    const gate::Terms terms = quick_terms(3);
    const gate::Resamples shared(rounds, terms.seed, 10'000);
    EXPECT_EQ(gate::estimate(series, terms, shared, [] { return false; }),
              gate::estimate(series, terms));
    EXPECT_EQ(gate::estimate(series, terms, shared, [] { return true; }), std::nullopt);
  }
}

// ---- coverage ----

class GateCoverage : public ::testing::TestWithParam<Noise> {};

INSTANTIATE_TEST_SUITE_P(Noise, GateCoverage, ::testing::ValuesIn(testing::all_noise()),
                         [](const auto& info) { return std::string(info.param.name); });

// Measured over 2000 series each: 0.3 to 2.0 % at 20 rounds. 16 of 400 are seen by chance once in
// 10 000 at 2 %.
TEST_P(GateCoverage, TheIntervalHasItsNominalCoverage) {
  constexpr int kSeries = 400;
  int missed = 0;
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    const Estimate found =
        gate::estimate(measured(GetParam(), 20, 0.02, 900 + seed), quick_terms(seed));
    missed += found.low > std::log(1.02) || found.high < std::log(1.02);
  }
  EXPECT_LE(missed, 16) << "of " << kSeries;
}

// ---- many benchmarks ----

TEST(GateHolm, StepsDownFromTheSmallestPValue) {
  using gate::holm;
  EXPECT_THAT(holm(std::vector<double>{0.01, 0.04, 0.03, 0.005}, 0.05),
              ElementsAre(true, false, false, true))
      << "the example of the textbooks";
  EXPECT_THAT(holm(std::vector<double>{0.02, 0.012}, 0.025), ElementsAre(true, true));
  EXPECT_THAT(holm(std::vector<double>{0.02, 0.013}, 0.025), ElementsAre(false, false));
  EXPECT_TRUE(holm({}, 0.05).empty());
}

Estimate estimated(double low, double high, double p_slower = 1, double p_faster = 1) {
  return {.log_ratio = (low + high) / 2,
          .low = low,
          .high = high,
          .p_slower = p_slower,
          .p_faster = p_faster,
          .rounds = 20,
          .statistic = gate::Statistic::low_quantile};
}

TEST(GateRule, JudgesByTheInterval) {
  const std::vector<Estimate> suite{estimated(0.010, 0.050, 1e-4), estimated(-0.01, 0.02),
                                    estimated(-0.01, 0.04), estimated(-0.04, -0.01, 1, 1e-4),
                                    estimated(0.010, 0.020, 1e-4)};
  EXPECT_THAT(gate::judge(suite, {}),
              ElementsAre(Verdict::slower, Verdict::pass, Verdict::undecided, Verdict::faster,
                          Verdict::slower));
}

TEST(GateRule, AFailMustHoldForTheWholeSuite) {
  std::vector<Estimate> suite{estimated(0.006, 0.04, 0.004)};
  EXPECT_THAT(gate::judge(suite, {}), ElementsAre(Verdict::slower));
  suite.push_back(estimated(-0.01, 0.02));
  EXPECT_THAT(gate::judge(suite, {}), ElementsAre(Verdict::undecided, Verdict::pass));
}

TEST(GateRule, ANoiseAboveTheMarginIsTooNoisy) {
  EXPECT_EQ(gate::last_verdict(estimated(-0.02, 0.035), {}), Verdict::undecided);
  EXPECT_EQ(gate::last_verdict(estimated(-0.04, 0.035), {}), Verdict::too_noisy);
}

// ---- futility ----

/// An undecided estimate of this many rounds, with this half-interval around `centre`.
Estimate open_at(std::size_t rounds, double half, double centre = 0.01) {
  Estimate one = estimated(centre - half, centre + half);
  one.rounds = rounds;
  return one;
}

// By hand, in logarithms: half an interval of 0.2 at 80 rounds leaves 0.1320 at 160. The centre
// moves by 0.0549, and is undecided from -0.1024 to 0.1369, from -2.047 to 2.312 of these: 1 -
// 0.98961 + 0.02033.
TEST(GateFutility, IsTheProbabilityThatTheLastLookDecides) {
  EXPECT_NEAR(gate::chance_of_verdict(open_at(80, 0.2), 160, {}), 0.03072, 0.00002);
  EXPECT_GT(gate::chance_of_verdict(open_at(80, 0.2, 0.15), 160, {}), 0.5) << "nearly slower";
  EXPECT_EQ(gate::chance_of_verdict(open_at(80, 0.01), 160, {}), 1) << "narrow enough by then";
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(gate::chance_of_verdict(open_at(8, inf, 0), 160, {}), 1) << "nothing is known";
}

TEST(GateFutility, GivesUpOnlyBeforeTheLastLookAndIfAllowed) {
  EXPECT_TRUE(gate::is_futile(open_at(80, 0.2), {}));
  EXPECT_FALSE(gate::is_futile(open_at(80, 0.04), {}));
  EXPECT_FALSE(gate::is_futile(open_at(20, 0.4), {})) << "20 rounds say little about 160";
  EXPECT_FALSE(gate::is_futile(open_at(160, 0.2), {}));
  EXPECT_FALSE(gate::is_futile(open_at(80, 0.2), {.curtails = false}));
}

TEST(GateRule, ALargeSuiteIsResampledOftenEnoughToFail) {
  for (const std::size_t size : {1U, 40U, 300U}) {
    const gate::Terms terms = gate::Rule().terms(20, size);
    EXPECT_LE(1.0 / (terms.resamples + 1), gate::Rule().tail() / static_cast<double>(size)) << size;
  }
}

}  // namespace
}  // namespace harness
