// SPDX-License-Identifier: Apache-2.0
// The programs and judges of the path: each window distinguishes the policies, and a broken server
// is reported.
#include <gtest/gtest.h>

#include "harness/run/strategies/random_walk.h"
#include "harness/run/tests/scenario_cases.h"
#include "harness/search/tests/corpus.h"
#include "scenarios/example/programs.h"
#include "scenarios/example/variants.h"

namespace scenarios::example {

extern const harness::Scenario scenario;

namespace testing {
namespace {

using harness::testing::ProgramProofs;
using harness::testing::read_corpus;
using targets::example::Buffer;
using targets::example::Request;
using targets::example::Server;
using targets::example::Setup;

constexpr const char* kConfig = "stream=own";

TEST(ExampleCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  harness::testing::expect_plain_seed(scenario, plain_program().tape(), kConfig);
}

TEST(ExampleCorpus, EachProgramIsTheSmallestThatDistinguishesThePolicies) {
  ProgramProofs proofs(scenario);
  for (const auto& [name, program] : read_corpus(scenario, "programs")) {
    proofs.expect_distinguished(name, program, "borrow", "retain");
    proofs.expect_smallest(name, program, "borrow");
  }
}

bool has_reached(const harness::Outcome& outcome, Window window) {
  return (outcome.reached >> harness::raw(window) & 1) != 0;
}

/// Calls `check` with each outcome of 8000 random runs of `borrow`.
template <class Check>
void check_runs(const char* config, Check check) {
  harness::Runner runner;
  harness::strategies::RandomWalk walk(1);
  const harness::Config parsed = harness::parse_config(scenario, config);
  for (int run = 0; run < 8000; ++run) {
    SCOPED_TRACE(run);
    check(runner.run(scenario, 0, parsed, harness::testing::sim(), walk));
  }
}

// The order of a shared stream protects requests in flight, and two requests may use the same
// buffer.
TEST(ExampleWindows, AFaultBelongsToTheWindowOfItsOwnRequest) {
  std::uint64_t reached = 0;
  check_runs("stream=shared", [&](const harness::Outcome& outcome) {
    reached += has_reached(outcome, Window::replaced_in_flight);
    for (std::size_t i = 0; i < outcome.faults.size(); ++i)
      EXPECT_EQ(outcome.windows[i], harness::raw(Window::replaced_before_launch))
          << outcome.faults[i].signature();
  });
  EXPECT_GT(reached, 1000u);
}

// A replacement after the wait is not ordered after it until the request has finished.
TEST(ExampleWindows, AFaultBeforeTheLaunchNeedsAnEarlierReplacement) {
  std::uint64_t faults = 0;
  check_runs(kConfig, [&](const harness::Outcome& outcome) {
    if (has_reached(outcome, Window::replaced_before_launch)) return;
    faults += outcome.faults.size();
    for (std::size_t i = 0; i < outcome.faults.size(); ++i)
      EXPECT_NE(outcome.windows[i], harness::raw(Window::replaced_before_launch))
          << outcome.faults[i].signature();
  });
  EXPECT_GT(faults, 1000u);
}

/// Never frees a buffer.
struct Hoard final : targets::example::Policy {
  void prepared(const Request&) override {}
  void finished(const Request&) override {}
  bool may_free(const Buffer&) const override { return false; }
};

Server* make_hoard(harness::Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  return arena.make<Server>(runtime, setup, *arena.make<Hoard>());
}

/// Passes answers to the model with a wrong last word.
struct Miscounting final : targets::example::Observer {
  explicit Miscounting(targets::example::Observer& hearer) : model(hearer) {}
  void placed(std::uint32_t worker, std::uint32_t key, harness::BirthId buffer) override {
    model.placed(worker, key, buffer);
  }
  void prepared(targets::example::RequestId request, harness::BirthId buffer) override {
    model.prepared(request, buffer);
  }
  void launched(targets::example::RequestId request) override { model.launched(request); }
  void answered(targets::example::RequestId request,
                const targets::example::Words& words) override {
    targets::example::Words wrong = words;
    ++wrong[targets::example::kWords - 1];
    model.answered(request, wrong);
  }
  targets::example::Observer& model;
};

Server* make_miscounting(harness::Runtime& runtime, const Setup& setup) {
  Setup other = setup;
  other.observer = runtime.scheduler.arena().make<Miscounting>(*setup.observer);
  return maker_of(1)(runtime, other);
}

std::string found(void (*drive)(harness::Scene&), const Program& program = plain_program()) {
  static harness::Runner runner;
  harness::Scenario broken = scenario;
  broken.drive = drive;
  return harness::testing::first_signature(
      runner.run({&broken, 0, harness::parse_config(scenario, kConfig), &harness::testing::sim(),
                  program.tape()}));
}

void drive_hoard(harness::Scene& scene) { drive_server(scene, {}, make_hoard); }

TEST(ExampleJudges, AServerThatNeverFreesIsALeak) {
  EXPECT_TRUE(found(drive_hoard).starts_with("leak "));
}

// A condition for any variant that claims leaks.
TEST(ExampleDriver, ARunWithoutOpsMakesNoBuffer) { EXPECT_EQ(found(drive_hoard, Program()), ""); }

TEST(ExampleJudges, AnAnswerWithAWrongLastWordIsReported) {
  EXPECT_TRUE(found([](harness::Scene& scene) {
                drive_server(scene, {}, make_miscounting);
              }).starts_with("wrong_value answer"));
}

}  // namespace
}  // namespace testing
}  // namespace scenarios::example
