// SPDX-License-Identifier: Apache-2.0
#include "harness/search/minimize/minimize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/toy_scenario.h"
#include "harness/search/minimize/tape.h"

namespace harness {
namespace {

namespace toy = testing::toy;
using ::testing::HasSubstr;

struct Failing {
  Case the_case;
  std::string signature;
};

/// Cases that fail, by random walk over all configs.
std::vector<Failing> find_failing(Runner& runner, std::size_t count,
                                  toy::Variant variant = toy::borrow) {
  strategies::RandomWalk walk(11);
  std::vector<Failing> result;
  for (std::size_t run = 0; result.size() < count && run < 100'000; ++run) {
    Case the_case = toy::make_case(variant, {}, run % config_count(toy::scenario));
    const Outcome& outcome =
        runner.run(toy::scenario, variant, the_case.config, toy::no_device, walk);
    if (!outcome.failed()) continue;
    the_case.tape = outcome.tape;
    result.push_back({the_case, outcome.faults.front().signature()});
  }
  return result;
}

bool shows(Runner& runner, const Case& the_case, std::string_view signature) {
  const Outcome& outcome = runner.run(the_case);
  return std::any_of(outcome.faults.begin(), outcome.faults.end(),
                     [&](const Fault& fault) { return fault.signature() == signature; });
}

/// The fewest ops that show a fault: the box must be made (unless it was there), remembered,
/// dropped and looked into; and where another box lives in its place, that one must be made too.
std::size_t fewest_ops(const std::string& signature) {
  const bool made = signature.find("born:replace") != std::string::npos;
  return 3 + made + signature.starts_with("recycled_use");
}

TEST(Minimize, KeepsOnlyTheOpsThatTheFaultNeeds) {
  Runner runner;
  std::size_t more = 0;
  for (const Failing& failing : find_failing(runner, 100)) {
    const Minimized result = minimize(runner, failing.the_case, failing.signature);
    EXPECT_GE(result.op_count, fewest_ops(failing.signature)) << failing.signature;
    EXPECT_LE(result.op_count, fewest_ops(failing.signature) + 1) << failing.signature;
    more += result.op_count > fewest_ops(failing.signature);
  }
  EXPECT_LE(more, 3u);
}

TEST(Minimize, UsesASmallerKnownCase) {
  Runner runner;
  const std::vector<Failing> all = find_failing(runner, 60);
  const Failing& first = all.front();
  const Tape smallest = minimize(runner, first.the_case, first.signature).the_case.tape;
  constexpr Limits kHardlyAny{.run_limit = 40};  // Too few to get there by leaving things out.
  std::size_t alone = 0, led = 0;
  for (const Failing& failing : all) {
    if (failing.signature != first.signature || !(failing.the_case.config == first.the_case.config))
      continue;
    alone += minimize(runner, failing.the_case, failing.signature, kHardlyAny).op_count;
    led += minimize(runner, failing.the_case, failing.signature, kHardlyAny, {smallest}).op_count;
  }
  EXPECT_LE(led, alone);
  const Minimized again = minimize(runner, first.the_case, first.signature, {}, {smallest});
  EXPECT_LE(again.op_count, minimizing::measure(smallest).op_count);
}

TEST(Minimize, UsesAKnownCaseOnlyIfItShowsTheFault) {
  Runner runner;
  const Failing failing = find_failing(runner, 1).front();
  const Minimized alone = minimize(runner, failing.the_case, failing.signature);
  const Minimized led = minimize(runner, failing.the_case, failing.signature, {}, {Tape{}});
  EXPECT_EQ(led.the_case.tape, alone.the_case.tape);
}

TEST(Minimize, LeavesThreeDecisionsThatAreNotOpsInTheMedian) {
  Runner runner;
  std::vector<std::size_t> counts;
  for (const Failing& failing : find_failing(runner, 101))
    counts.push_back(minimize(runner, failing.the_case, failing.signature).decision_count);
  std::sort(counts.begin(), counts.end());
  EXPECT_LE(counts[50], 3u);
}

TEST(Minimize, KeepsTheSignatureAndTheConfigAndNeverGrows) {
  Runner runner;
  for (const Failing& failing : find_failing(runner, 100)) {
    const Minimized result = minimize(runner, failing.the_case, failing.signature);
    EXPECT_TRUE(shows(runner, result.the_case, failing.signature));
    EXPECT_EQ(result.the_case.config, failing.the_case.config);
    EXPECT_EQ(result.the_case.variant, failing.the_case.variant);
    EXPECT_LE(result.the_case.tape.size(), failing.the_case.tape.size());
  }
}

TEST(Minimize, IsIdempotent) {
  Runner runner;
  std::size_t finished = 0;
  for (const Failing& failing : find_failing(runner, 100)) {
    const Minimized once = minimize(runner, failing.the_case, failing.signature);
    if (!once.finished) continue;
    ++finished;
    const Minimized twice = minimize(runner, once.the_case, failing.signature);
    EXPECT_EQ(twice.the_case.tape, once.the_case.tape);
    EXPECT_TRUE(twice.finished);
  }
  EXPECT_GE(finished, 90u);
}

TEST(Minimize, StaysWithinItsRunLimit) {
  Runner runner;
  for (const Failing& failing : find_failing(runner, 20)) {
    EXPECT_LE(minimize(runner, failing.the_case, failing.signature).run_count, 2000u);
    const Minimized hurried =
        minimize(runner, failing.the_case, failing.signature, {.run_limit = 10});
    EXPECT_LE(hurried.run_count, 10u);
    EXPECT_FALSE(hurried.finished);
    EXPECT_TRUE(shows(runner, hurried.the_case, failing.signature));
  }
}

TEST(Minimize, StopsOnRequestAndKeepsItsResult) {
  Runner runner;
  const Failing failing = find_failing(runner, 1).front();
  const std::atomic<bool> stop = true;
  const Minimized result = minimize(runner, failing.the_case, failing.signature, {.stop = &stop});
  EXPECT_FALSE(result.finished);
  EXPECT_TRUE(shows(runner, result.the_case, failing.signature));
}

TEST(Minimize, DropsTheScheduleIfTheDefaultOneSuffices) {
  Runner runner;
  const Case the_case = toy::make_case(toy::hoard, toy::small_program());
  const std::string signature = runner.run(the_case).faults.front().signature();
  const Minimized result = minimize(runner, the_case, signature);
  EXPECT_EQ(result.op_count, 1u);  // replace.
  EXPECT_EQ(result.decision_count, 0u);
}

TEST(Minimize, ReportsThatTheSmallestRunHasLostItsFault) {
  static std::uint64_t run_count;
  Scenario sleepy = toy::scenario;
  sleepy.drive = [](Scene& scene) {
    if (++run_count < 20) toy::scenario.drive(scene);
  };
  Runner runner;
  for (Failing failing : find_failing(runner, 10)) {
    failing.the_case.scenario = &sleepy;
    for (const bool thorough : {false, true}) {
      run_count = 0;
      const Minimized result =
          minimize(runner, failing.the_case, failing.signature, {.thorough = thorough});
      ASSERT_GT(run_count, 20u);
      EXPECT_TRUE(result.reproduced);
      EXPECT_FALSE(result.deterministic);
      EXPECT_THAT(result.statement, HasSubstr("two replays of the case differ"));
    }
  }
}

TEST(Minimize, RefusesACaseThatDoesNotShowTheFault) {
  Runner runner;
  const Minimized result =
      minimize(runner, toy::make_case(toy::borrow, toy::small_program()), "no such fault");
  EXPECT_FALSE(result.reproduced);
  EXPECT_EQ(result.the_case.tape, toy::small_program());
}

TEST(Minimize, ReportsWhatItProved) {
  Runner runner;
  const Failing failing = find_failing(runner, 1).front();
  const Minimized result = minimize(runner, failing.the_case, failing.signature);
  EXPECT_THAT(result.statement, HasSubstr("no program with one operation fewer fails"));
  EXPECT_THAT(result.statement, HasSubstr("runs"));
}

// ---- tapes ------------------------------------------------------------------------------------

TEST(Minimize, MovesConsequencesWithAnOp) {
  const Name from = slot_name(0, 5), to = slot_name(0, 1);
  const std::uint64_t kind = Label("Box").hash();
  const std::vector<ActivationRecord> records{{derive_name(from, kind, 0), from, "Box", 0}};
  const Causes causes(records);
  const auto low = [](Name name) { return static_cast<std::uint32_t>(name) | 1; };
  const Tape tape{toy::decide(from, Site::op, toy::op(toy::store)),
                  toy::decide(derive_name(from, kind, 0), Site::lag, 1),
                  toy::decide(slot_name(1, 0), Site::reuse, low(derive_name(from, kind, 0)))};
  const Tape moved{toy::decide(to, Site::op, toy::op(toy::store)),
                   toy::decide(derive_name(to, kind, 0), Site::lag, 1),
                   toy::decide(slot_name(1, 0), Site::reuse, low(derive_name(to, kind, 0)))};
  EXPECT_EQ(minimizing::move_slots(tape, {{from, to}}, causes), moved);
}

TEST(Minimize, RemovesAnOpWithItsArgumentsAndConsequences) {
  const Name slot = slot_name(0, 5);
  const Name box = derive_name(slot, Label("Box").hash(), 0);
  const ActivationRecord record{box, slot, "Box", 0};
  const Causes causes({&record, 1});
  const Decision other = toy::decide(slot_name(1, 0), Site::op, 7);
  const Tape tape{toy::decide(slot, Site::op, 7), toy::decide(slot, Site::argument, 2), other,
                  toy::decide(box, Site::lag, 1)};
  EXPECT_EQ(minimizing::without_slots(tape, {slot}, causes), Tape{other});
}

// ---- proofs -----------------------------------------------------------------------------------

TEST(Prove, FindsTheSmallestNumberOfDecisionsThatFails) {
  Runner runner;
  const Proof proof = prove(runner, toy::make_case(toy::borrow, toy::small_program()), 3,
                            {.run_limit = 100'000, .second_limit = 60});
  EXPECT_TRUE(proof.failed);
  EXPECT_TRUE(proof.complete);
  EXPECT_EQ(proof.decision_count, 1u);
  EXPECT_GT(proof.question_count, 0u);
  EXPECT_TRUE(runner.run(proof.failing).failed());
}

TEST(Prove, EnumeratesEverySetForASoundVariant) {
  Runner runner;
  const Proof proof = prove(runner, toy::make_case(toy::retain, toy::small_program()), 3,
                            {.run_limit = 100'000, .second_limit = 60});
  EXPECT_FALSE(proof.failed);
  EXPECT_TRUE(proof.complete);
  EXPECT_EQ(proof.decision_count, 3u);
  EXPECT_FALSE(proof.vacuous);
  EXPECT_GT(proof.run_count, proof.question_count);
}

TEST(Prove, PredictsTheNumberOfNextSchedules) {
  Runner runner;
  const Limits limits{.run_limit = 1'000'000, .second_limit = 60};
  for (const toy::Variant variant : {toy::retain, toy::hoard}) {
    Enumeration sets(runner, toy::make_case(variant, toy::small_program()), limits);
    for (std::uint32_t size = 0; size <= 3; ++size) {
      const std::uint64_t expected = sets.next_schedule_count();
      sets.run_next_size();
      EXPECT_EQ(sets.proof().schedule_count, expected);
      EXPECT_GE(sets.proof().run_count, expected);
    }
    EXPECT_GT(sets.proof().schedule_count, 100u);
  }
}

TEST(Prove, KeepsOtherFaultsAside) {
  Runner runner;
  Enumeration sets(runner, toy::make_case(toy::hoard, toy::small_program()), {}, {.window = 0});
  sets.run_next_size();
  EXPECT_FALSE(sets.proof().failed);
  ASSERT_TRUE(sets.aside().failed);
  EXPECT_THAT(sets.aside().faults.front(), HasSubstr("leak"));
}

TEST(Prove, ReportsAnIncompleteEnumeration) {
  Runner runner;
  const Proof proof =
      prove(runner, toy::make_case(toy::retain, toy::small_program()), 3, {.run_limit = 100});
  EXPECT_FALSE(proof.complete);
  EXPECT_FALSE(proof.failed);
}

}  // namespace
}  // namespace harness
