// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/core/pick/deviations.h"
#include "harness/core/pick/theme_options.h"
#include "harness/run/strategies/bytes.h"
#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/tape_survival.h"
#include "harness/run/tests/toy_scenario.h"

namespace harness {
namespace {

namespace toy = testing::toy;
using strategies::Bytes;

const Outcome& run_toy(Runner& runner, Strategy& strategy, toy::Variant variant = toy::borrow) {
  return runner.run(toy::scenario, variant, {}, toy::no_device, strategy);
}

// ---- every strategy ---------------------------------------------------------------------------

TEST(Strategies, GiveTheSameRunsForTheSameSeed) {
  for (const StrategyInfo* info : tables::strategies()) {
    Runner first, second;
    const auto one = info->make(42), two = info->make(42);
    for (int run = 0; run < 500; ++run) {
      const Tape tape = run_toy(first, *one).tape;
      ASSERT_EQ(tape, run_toy(second, *two).tape) << info->name.c_str() << ", run " << run;
      ASSERT_EQ(first.trace_hash(), second.trace_hash()) << info->name.c_str();
    }
  }
}

TEST(Strategies, GiveOtherRunsForAnotherSeed) {
  for (const StrategyInfo* info : tables::strategies()) {
    Runner runner;
    std::set<Tape> tapes;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      tapes.insert(run_toy(runner, *info->make(seed)).tape);
    EXPECT_GT(tapes.size(), 10u) << info->name.c_str();
  }
}

TEST(Strategies, CatchTheUnsoundToy) {
  for (const StrategyInfo* info : tables::strategies()) {
    Runner runner;
    const auto strategy = info->make(1);
    int failures = 0;
    for (int run = 0; run < 5000; ++run) failures += run_toy(runner, *strategy).failed();
    EXPECT_GT(failures, 0) << info->name.c_str();
  }
}

TEST(Strategies, RecordTapesThatReplayTheirRun) {
  for (const StrategyInfo* info : tables::strategies()) {
    Runner runner;
    const auto strategy = info->make(3);
    for (int run = 0; run < 500; ++run) {
      const Tape tape = run_toy(runner, *strategy).tape;
      const std::uint64_t hash = runner.trace_hash();
      ASSERT_EQ(runner.run(toy::make_case(toy::borrow, tape)).tape, tape) << info->name.c_str();
      ASSERT_EQ(runner.trace_hash(), hash) << info->name.c_str();
    }
  }
}

// ---- random walk ------------------------------------------------------------------------------

TEST(RandomWalk, DeviatesAtTheRateOfTheSite) {
  strategies::RandomWalk walk(1);
  double left = 0;
  constexpr int kRuns = 2000, kQuestions = 100;
  for (int run = 0; run < kRuns; ++run) {
    walk.begin();
    for (int i = 0; i < kQuestions; ++i) left += walk.answer({1, Site::reuse, 0, 3, nullptr}) != 0;
  }
  EXPECT_NEAR(left / (kRuns * kQuestions), 0.51, 0.05);  // 5/8 * 1/2 + 1/4 * 8/9.
}

TEST(RandomWalk, ProducesRunsOfDifferentShapes) {
  strategies::RandomWalk walk(1);
  int silent = 0, busy = 0;
  for (int run = 0; run < 1000; ++run) {
    walk.begin();
    int left = 0;
    for (int i = 0; i < 100; ++i) left += walk.answer({1, Site::schedule, 0, 2, nullptr}) != 0;
    silent += left == 0;
    busy += left > 30;
  }
  EXPECT_GT(silent, 50);
  EXPECT_GT(busy, 300);
}

TEST(RandomWalk, ReachesEveryOption) {
  strategies::RandomWalk walk(1);
  std::array<int, 5> seen{};
  for (int run = 0; run < 2000; ++run) {
    walk.begin();
    for (const Site site : {Site::argument, Site::lag})
      ++seen[walk.answer({1, site, 0, 5, nullptr})];
  }
  for (const int count : seen) EXPECT_GT(count, 100);
}

// ---- unthemed walk ----------------------------------------------------------------------------

/// An offer: a name for each option.
class Offer final : public Options {
 public:
  explicit Offer(std::vector<std::uint32_t> values) : values_(std::move(values)) {}
  std::uint32_t value(std::uint32_t index) const override { return values_[index]; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(values_.size()); }

 private:
  std::vector<std::uint32_t> values_;
};

/// Returns how often each value was the answer to the first question of a run.
std::map<std::uint32_t, int> answers(const char* strategy, Site site, const Options& options,
                                     std::uint32_t option_count) {
  const auto walk = find(tables::strategies(), strategy)->make(1);
  std::map<std::uint32_t, int> counts;
  for (int run = 0; run < 4000; ++run) {
    walk->begin();
    const std::uint32_t index = walk->answer({1, site, 0, option_count, &options});
    ++counts[options.value(index)];
  }
  return counts;
}

TEST(UnthemedWalk, UsesTheGeneralThemeInEveryRun) {
  const ThemeOptions themes;
  EXPECT_EQ(answers("random_walk", Site::argument, themes, 5).size(), 5u);
  EXPECT_EQ(answers("unthemed_walk", Site::argument, themes, 5),
            (std::map<std::uint32_t, int>{{0, 4000}}));
}

TEST(UnthemedWalk, CountsAnOpOnceHoweverOftenItIsListed) {
  const Offer offer({0, 5, 7, 7, 7, 7, 7, 7, 7, 7, 5});
  auto walked = answers("random_walk", Site::op, offer, offer.count());
  EXPECT_GT(walked[7], 3 * walked[5]);
  auto counted = answers("unthemed_walk", Site::op, offer, offer.count());
  EXPECT_NEAR(counted[5], counted[7], 0.1 * counted[5]);
  EXPECT_NEAR(counted[0], walked[0], 0.2 * walked[0]) << "nothing goes into about as many slots";
}

TEST(UnthemedWalk, HandlesAListOfOneDistinctOp) {
  const Offer offer({5, 5, 5});
  EXPECT_EQ(answers("unthemed_walk", Site::argument, offer, offer.count()),
            (std::map<std::uint32_t, int>{{5, 4000}}));
}

TEST(UnthemedWalk, SchedulesLikeTheRandomWalk) {
  const Offer tasks({0, 7, 7, 7});
  EXPECT_EQ(answers("unthemed_walk", Site::schedule, tasks, tasks.count()),
            answers("random_walk", Site::schedule, tasks, tasks.count()));
}

// ---- bytes ------------------------------------------------------------------------------------

TEST(Bytes, ATapeRoundTrips) {
  Runner runner;
  strategies::RandomWalk walk(5);
  for (int run = 0; run < 200; ++run) {
    const Tape tape = run_toy(runner, walk).tape;
    EXPECT_EQ(strategies::decode(strategies::encode(tape)), canonical(tape));
  }
}

TEST(Bytes, ReplayTheEncodedRun) {
  Runner runner;
  strategies::RandomWalk walk(5);
  Bytes bytes;
  for (int run = 0; run < 200; ++run) {
    const Tape tape = run_toy(runner, walk).tape;
    const std::uint64_t hash = runner.trace_hash();
    bytes.assign(strategies::encode(tape));
    EXPECT_EQ(run_toy(runner, bytes).tape, tape);
    EXPECT_EQ(runner.trace_hash(), hash);
  }
}

TEST(Bytes, AnyStringIsARunWithAStableCanonicalForm) {
  Runner runner;
  std::uint64_t state = 9;
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<std::uint8_t> text(size);
    for (std::uint8_t& byte : text) byte = static_cast<std::uint8_t>((state = mix(state, 1)) >> 32);
    const Tape tape = strategies::decode(text);
    EXPECT_EQ(strategies::decode(strategies::encode(tape)), tape);
    Bytes bytes(text);
    const Tape met = run_toy(runner, bytes).tape;
    EXPECT_EQ(runner.run(toy::make_case(toy::borrow, met)).tape, met);
  }
}

TEST(Bytes, NoiseReachesDerivedActivationsAndOffSlotQuestions) {
  std::uint64_t state = 1;
  int answers = 0;
  for (int string = 0; string < 200; ++string) {
    std::vector<std::uint8_t> text(64 * 16);
    for (std::uint8_t& byte : text) byte = static_cast<std::uint8_t>((state = mix(state, 1)) >> 32);
    Bytes bytes(text);
    bytes.begin();
    answers += bytes.answer({derive_name(1, 2, 3), Site::lag, 0, 4, nullptr}) != 0;
  }
  EXPECT_GT(answers, 4);
}

TEST(Bytes, ATruncatedRecordIsPaddedWithZeros) {
  std::vector<std::uint8_t> text = strategies::encode({toy::decide(1, Site::lag, 3)});
  while (text.back() == 0) text.pop_back();
  EXPECT_EQ(strategies::decode(text), Tape{toy::decide(1, Site::lag, 3)});
}

// ---- deviations -------------------------------------------------------------------------------

/// Asks `count` questions with two further options each, in one activation.
std::vector<std::uint32_t> ask(Strategy& strategy, int count) {
  strategy.begin();
  std::vector<std::uint32_t> answers;
  answers.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    answers.push_back(strategy.answer({1, Site::lag, static_cast<std::uint16_t>(i), 3, nullptr}));
  return answers;
}

TEST(Deviations, VisitEverySetOnce) {
  Deviations deviations;
  deviations.assign({}, 2);
  std::set<std::vector<std::uint32_t>> seen;
  int runs = 0;
  do {
    seen.insert(ask(deviations, 5));
    ++runs;
  } while (deviations.advance());
  EXPECT_EQ(runs, 1 + 5 * 2 + 10 * 4);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(runs));
  EXPECT_EQ(deviations.base_question_count(), 5u);
}

TEST(Deviations, KeepTheBaseTapeAndOtherSites) {
  Deviations deviations;
  deviations.assign({toy::decide(1, Site::lag, 2, 1)}, 3);
  do {
    EXPECT_EQ(ask(deviations, 3)[1], 2u);
    EXPECT_EQ(deviations.answer({1, Site::op, 0, 3, nullptr}), 0u);
  } while (deviations.advance());
}

TEST(Deviations, SkipSupersetsOfASetOnRequest) {
  Deviations deviations;
  deviations.assign({}, 3);
  int runs = 0;
  do {
    ask(deviations, 4);
    ++runs;
  } while (deviations.advance(deviations.depth() == 0));
  EXPECT_EQ(runs, 1 + 4 * 2);
}

TEST(Deviations, ReachQuestionsThatOnlyADeviationRaises) {
  Deviations deviations;
  deviations.assign({}, 2);
  int found = 0;
  do {
    deviations.begin();
    if (deviations.answer({1, Site::lag, 0, 2, nullptr}) == 1)
      found += deviations.answer({2, Site::lag, 0, 2, nullptr}) == 1;
  } while (deviations.advance());
  EXPECT_EQ(found, 1);
}

TEST(Deviations, FindTheOneDecisionThatTheToyNeeds) {
  Runner runner;
  Deviations deviations;
  deviations.assign(toy::small_program(), 1);
  EXPECT_FALSE(run_toy(runner, deviations).failed());
  int failures = 0;
  while (deviations.advance()) failures += run_toy(runner, deviations).failed();
  EXPECT_GT(failures, 0);
}

// ---- tapes keyed by cause ---------------------------------------------------------------------

TEST(Tape, LosesFewOtherDecisionsWhenAnOpIsDeleted) {
  Runner runner;
  const testing::Survival survival =
      testing::measure_survival(runner, toy::scenario, toy::borrow, toy::no_device, 1000);
  EXPECT_EQ(survival.tapes, 1000u);
  EXPECT_GE(survival.share(), 0.95) << survival.met << " of " << survival.decisions;
}

}  // namespace
}  // namespace harness
