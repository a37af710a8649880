// SPDX-License-Identifier: Apache-2.0
// The whole gate on simulated machines: its error rates, and detection of a broken gate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>

#include "harness/gate/tests/gate_machine.h"

namespace harness {
namespace {

using gate::Result;
using gate::Rule;
using gate::Verdict;
using testing::Machine;
using testing::Noise;

constexpr std::size_t kBenchmarks = 3;

Result decided(gate::Source& source, const Rule& rule = {}) {
  gate::Trial trial(source, rule);
  trial.run();
  return trial.result();
}

/// Counts of verdicts over many suites.
struct Rates {
  int suites = 0;
  int red_suites = 0;
  int benchmarks = 0;
  int slower = 0;
  int decided = 0;  ///< Verdicts other than undecided and too noisy.

  double false_alarms() const { return static_cast<double>(red_suites) / suites; }
  double power() const { return static_cast<double>(slower) / benchmarks; }
};

using Maker = std::function<std::unique_ptr<gate::Source>(std::uint64_t seed)>;

Rates rates(const Maker& make, int suites, Rule rule = {}) {
  Rates found{.suites = suites};
  for (int suite = 0; suite < suites; ++suite) {
    rule.seed = static_cast<std::uint64_t>(suite);
    const Result result = decided(*make(rule.seed + 77), rule);
    found.red_suites += result.count(Verdict::slower) > 0;
    found.slower += static_cast<int>(result.count(Verdict::slower));
    found.benchmarks += static_cast<int>(result.rows.size());
    found.decided += static_cast<int>(result.rows.size() - result.count(Verdict::undecided) -
                                      result.count(Verdict::too_noisy));
  }
  return found;
}

template <class Kind = Machine>
Maker machines(const Noise& noise, double slowdown) {
  return [=](std::uint64_t seed) {
    return std::make_unique<Kind>(noise, kBenchmarks, slowdown, seed);
  };
}

// ---- error rates ----

class GateRates : public ::testing::TestWithParam<Noise> {};

INSTANTIATE_TEST_SUITE_P(Noise, GateRates, ::testing::ValuesIn(testing::all_noise()),
                         [](const auto& info) { return std::string(info.param.name); });

// harness/docs/explanation/gate.md has the rates over 1000 suites of each kind: none was red.
TEST_P(GateRates, UnchangedSuitesPass) {
  const Rates found = rates(machines(GetParam(), 0), 112);
  EXPECT_EQ(found.red_suites, 0) << "of " << found.suites;
  EXPECT_GE(found.decided, found.benchmarks * 95 / 100);
}

TEST_P(GateRates, AThreePercentSlowdownIsFound) {
  const Rates found = rates(machines(GetParam(), 0.03), 24);
  EXPECT_GE(found.power(), 0.95) << found.slower << " of " << found.benchmarks;
}

// ---- broken gates ----

/// Measures the head of each round some rounds later than its base: the pairs are none.
class Unpaired : public Machine {
 public:
  using Machine::Machine;
  std::optional<gate::Round> measure(const gate::Request& request) override {
    while (bases_.size() < 30) bases_.push_back(process(0));
    gate::Round round = *Machine::measure(request);
    std::swap(round.base, bases_.front());
    bases_.push_back(bases_.front());
    bases_.pop_front();
    return round;
  }

 private:
  std::deque<gate::Reading> bases_;
};

/// Measures all of the base before the head.
class OneAfterTheOther : public Machine {
 public:
  using Machine::Machine;
  std::optional<gate::Round> measure(const gate::Request& request) override {
    if (request.round == 0) {
      bases_.clear();
      for (int round = 0; round < 80; ++round) bases_.push_back(process(0));
    }
    gate::Round round = *Machine::measure(request);
    round.base = bases_.at(request.round);
    return round;
  }

 private:
  std::deque<gate::Reading> bases_;
};

/// Disturbs the head alone, and only in the first measurement.
class PassingCloud : public Machine {
 public:
  using Machine::Machine;
  std::optional<gate::Round> measure(const gate::Request& request) override {
    gate::Round round = *Machine::measure(request);
    if (request.confirmation == 0)
      for (auto& [name, value] : round.head) value *= 1.05;
    return round;
  }
};

const Noise kShared{.name = "shared", .wander = 0.1, .wander_seconds = 20};
const Noise kDrift{.name = "drift", .drift = 0.1};
const Noise kQuiet{.name = "quiet"};

TEST(BrokenGate, PairingUnrelatedRoundsLosesPower) {
  EXPECT_GE(rates(machines(kShared, 0.03), 20).power(), 0.95);
  EXPECT_LT(rates(machines<Unpaired>(kShared, 0.03), 20).power(), 0.8);
}

TEST(BrokenGate, SequentialSidesMistakeADriftForAChange) {
  EXPECT_EQ(rates(machines(kDrift, 0), 20).false_alarms(), 0);
  EXPECT_GT(rates(machines<OneAfterTheOther>(kDrift, 0), 20).false_alarms(), 0.5);
}

TEST(BrokenGate, AnotherThresholdFindsTooLittleOrTooMuch) {
  EXPECT_LT(rates(machines(kQuiet, 0.03), 20, {.slower_by = 0.05, .allowed = 0.1}).power(), 0.05);
  EXPECT_GT(rates(machines(kQuiet, 0), 20, {.slower_by = -0.005}).false_alarms(), 0.5);
}

TEST(BrokenGate, SkippingConfirmationMistakesADisturbanceForAChange) {
  EXPECT_EQ(rates(machines<PassingCloud>(kQuiet, 0), 10).false_alarms(), 0);
  EXPECT_EQ(rates(machines<PassingCloud>(kQuiet, 0), 10, {.confirmations = 0}).false_alarms(), 1);
}

// ---- the course of a trial ----

/// Records the requests, and stops after a given number of them.
class Watched : public Machine {
 public:
  using Machine::Machine;
  std::optional<gate::Round> measure(const gate::Request& request) override {
    if (static_cast<int>(asked.size()) == limit) return std::nullopt;
    asked.push_back(request);
    gate::Round round = *Machine::measure(request);
    for (const std::string& name : base_lacks) round.base.erase(name);
    for (const std::string& name : head_lacks) round.head.erase(name);
    for (const std::string& name : slow) round.head[name] *= 1.05;
    if (static_cast<int>(asked.size()) == vanishes_in) round.head.erase("b1");
    return round;
  }
  gate::End why_ended() const override { return gate::End::stopped; }

  std::vector<gate::Request> asked;
  int limit = -1;
  int vanishes_in = -1;
  std::vector<std::string> base_lacks, head_lacks, slow;
};

TEST(GateTrial, RequestsMoreRoundsOnlyForUndecidedBenchmarks) {
  Watched machine({.name = "noisy", .jitter = 0.03}, 3, 0, 4);
  const Result result = decided(machine);
  EXPECT_GT(result.rounds, 20U);
  EXPECT_EQ(machine.asked[1].wanted.size(), 3U);
  EXPECT_LT(machine.asked.back().wanted.size(), 4U);
  EXPECT_TRUE(result.rounds == 40 || result.rounds == 80 || result.rounds == 160) << result.rounds;
}

TEST(GateTrial, ConfirmsOnlyFailures) {
  Watched machine(kQuiet, 3, 0, 4);
  machine.slow = {"b1"};
  const Result result = decided(machine);
  ASSERT_EQ(result.rows.size(), 3U);
  EXPECT_EQ(result.rows[1].verdict, Verdict::slower);
  EXPECT_FALSE(result.rows[1].unconfirmed);
  EXPECT_EQ(result.rows[1].estimate->rounds, 20U) << "a confirmation begins again";
  EXPECT_EQ(result.count(Verdict::pass), 2U);
  EXPECT_EQ(machine.asked.back().confirmation, 1U);
  EXPECT_THAT(machine.asked.back().wanted, ::testing::ElementsAre("b1"));
}

TEST(GateTrial, ReportsUnconfirmedFailures) {
  PassingCloud machine(kQuiet, 1, 0, 4);
  const Result result = decided(machine);
  EXPECT_EQ(result.rows[0].verdict, Verdict::pass);
  ASSERT_TRUE(result.rows[0].unconfirmed);
  EXPECT_NEAR(result.rows[0].unconfirmed->log_ratio, std::log(1.05), 0.01);
  EXPECT_TRUE(machine.was_asked_to_confirm());
}

TEST(GateTrial, NamesNewAndRemovedBenchmarks) {
  Watched machine(kQuiet, 4, 0, 4);
  machine.base_lacks = {"b3"};
  machine.head_lacks = {"b0"};
  const Result result = decided(machine);
  ASSERT_EQ(result.rows.size(), 4U);
  EXPECT_EQ(result.rows[0].verdict, Verdict::gone);
  EXPECT_EQ(result.rows[3].verdict, Verdict::added);
  EXPECT_FALSE(result.rows[3].estimate);
  EXPECT_EQ(result.count(Verdict::pass), 2U);
}

TEST(GateTrial, ReportsSpeedupsToo) {
  Machine machine(kQuiet, 2, -0.03, 4);
  EXPECT_EQ(decided(machine).count(Verdict::faster), 2U);
}

TEST(GateTrial, AVanishedBenchmarkEndsTheTrialWithItsName) {
  Watched machine(kQuiet, 3, 0, 4);
  machine.vanishes_in = 7;
  gate::Trial trial(machine, {});
  try {
    trial.run();
    FAIL() << "no one noticed";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "round 7: the head no longer prints benchmark 'b1'");
  }
  const Result result = trial.result();
  EXPECT_EQ(result.count(Verdict::undecided), 3U) << "six rounds are shown, and judged as nothing";
  EXPECT_TRUE(result.rows[0].estimate);
}

TEST(GateTrial, NothingInCommonIsNoPass) {
  Watched machine(kQuiet, 2, 0, 4);
  machine.base_lacks = {"b0"};
  machine.head_lacks = {"b1"};
  gate::Trial trial(machine, {});
  EXPECT_THROW(trial.run(), std::runtime_error);
  EXPECT_EQ(trial.result().rows.size(), 2U);
}

TEST(GateTrial, AStoppedTrialShowsMeasurementsAndPassesNothing) {
  for (const int limit : {0, 3, 12, 19}) {
    Watched machine(kQuiet, 2, 0, 4);
    machine.limit = limit;
    const Result result = decided(machine);
    EXPECT_EQ(result.end, gate::End::stopped);
    EXPECT_EQ(result.count(Verdict::undecided), result.rows.size());
    EXPECT_EQ(result.rounds, static_cast<std::size_t>(limit));
    if (limit >= 5) EXPECT_TRUE(result.rows.at(0).estimate);
  }
}

TEST(GateTrial, AFailStoppedBeforeConfirmationIsUndecided) {
  Watched machine(kQuiet, 1, 0.05, 4);
  machine.limit = 23;
  const Result result = decided(machine);
  EXPECT_EQ(result.rows.at(0).verdict, Verdict::undecided);
  EXPECT_TRUE(result.rows[0].unconfirmed);
  EXPECT_TRUE(result.rows[0].estimate);
}

// The gate gives up on the widest noise at 80 rounds; 160 rounds would leave it open, too.
TEST(GateTrial, BenchmarksUnlikelyToBeDecidedGetNoMoreRounds) {
  const auto wild = [](bool curtails) {
    Watched machine({.name = "wild", .jitter = 1}, 20, 0, 2);
    Rule rule;
    rule.curtails = curtails;
    const Result result = decided(machine, rule);
    return std::pair(result, machine.asked.back().wanted.size());
  };
  const auto [curtailed, last_open] = wild(true);
  const auto [whole, all_open] = wild(false);
  const auto given_up = std::ranges::count_if(curtailed.rows, &gate::Row::is_given_up);
  EXPECT_GE(given_up, 4);
  EXPECT_EQ(last_open + static_cast<std::size_t>(given_up), all_open);
  EXPECT_EQ(std::ranges::count_if(whole.rows, &gate::Row::is_given_up), 0);
  for (std::size_t i = 0; i < curtailed.rows.size(); ++i)
    if (curtailed.rows[i].is_given_up) {
      EXPECT_EQ(curtailed.rows[i].estimate->rounds, 80U);
      EXPECT_EQ(curtailed.rows[i].verdict, Verdict::too_noisy);
      EXPECT_EQ(whole.rows[i].verdict, Verdict::too_noisy);
    }
}

// ---- computing that has to end ----

/// Stops the computation after this many benchmarks.
class Impatient : public Watched {
 public:
  using Watched::Watched;
  bool must_end() override { return patience-- <= 0; }

  int patience = 0;
};

TEST(GateTrial, AnIncompleteLookGivesNoVerdict) {
  Impatient machine(kQuiet, 3, 0, 4);
  machine.patience = 60;  // A benchmark asks 40 times.
  const Result result = decided(machine);
  EXPECT_EQ(result.rounds, 20U);
  EXPECT_EQ(result.end, gate::End::stopped);
  EXPECT_TRUE(result.is_unjudged);
  EXPECT_EQ(result.count(Verdict::undecided), 3U);
  EXPECT_EQ(result.uncomputed, 0U) << "there was time to show all of them";
}

TEST(GateTrial, EstimatesWithoutTimeAreCounted) {
  Impatient machine(kQuiet, 4000, 0, 4);
  gate::Trial trial(machine, {});
  trial.run();
  const auto begin = std::chrono::steady_clock::now();
  const Result result = trial.result();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(result.uncomputed,
            static_cast<std::size_t>(std::ranges::count_if(
                result.rows, [](const gate::Row& row) { return !row.estimate; })));
  EXPECT_GT(result.uncomputed, 0U);
}

TEST(GateTrial, AnUndecidableBenchmarkIsTooNoisy) {
  Machine machine({.name = "wild", .jitter = 0.5}, 5, 0, 2);
  const Result result = decided(machine);
  EXPECT_EQ(result.count(Verdict::too_noisy), 5U);
  EXPECT_GT(result.rows[0].estimate->noise_floor(), 0.03);
}

}  // namespace
}  // namespace harness
