// SPDX-License-Identifier: Apache-2.0
// No false alarms: programs that keep what the documentation asks of them are never at fault,
// however late the work is and whatever storage they are given; and every precondition that is
// dropped gives its fault, or the error that is documented for it.
//
// AFTERLIFE_SOUND_PROGRAMS asks for more or fewer of them than the 10 000; a share of the programs
// has to show a share of the coverage.
#include <gtest/gtest-spi.h>

#include <cstdlib>
#include <string>

#include "harness/devices/tests/sound_programs/steps.h"
#include "harness/driver/cuda/leeway.h"

namespace harness::testing::sound {
namespace {

constexpr int kFullCount = 10'000;
constexpr int kLeastCount = 100;  ///< Times that each function, transition and precondition is met.
constexpr int kStepCount = 60;

/// Makes random choices. In some programs all work runs at submission, in others late: while the
/// host continues, or only in a wait.
class Whim : public Strategy {
 public:
  explicit Whim(std::uint64_t seed)
      : random_(seed), plain_of_8_(random_() % 8), stays_of_64_(64 - (1 << random_() % 7) % 64) {}
  std::uint32_t answer(const Question& question) override {
    if (question.site == Site::failure) return 0;
    const bool plain = question.site == Site::schedule ? random_() % 64 < stays_of_64_
                                                       : random_() % 8 < plain_of_8_;
    return plain ? 0 : static_cast<std::uint32_t>(random_() % question.option_count);
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t plain_of_8_;
  std::uint64_t stays_of_64_;
};

int program_count() {
  const char* count = std::getenv("AFTERLIFE_SOUND_PROGRAMS");
  return count != nullptr ? std::atoi(count) : kFullCount;
}

class SoundPrograms : public OnSim {
 protected:
  SoundPrograms() { stage.judge_order(); }

  /// Runs the program of this seed, and returns how it ended.
  Ending run(std::uint64_t seed, int step_count, Rule dropped = Rule::none) {
    Whim whim(~seed);
    Program program(seed, dropped, tally_);  // Outside of the task, which may never unwind.
    return stage.run_bare(whim, [&] {
      give_leeway(stage.world);
      program.run(all_steps(), step_count);
    });
  }

  std::string complaint() const {
    if (!stage.faults.empty())
      return stage.faults.front().signature() + " " + stage.faults.front().detail;
    const Calls& calls = tally_.calls;
    if (calls.wrong() == Entry::count) return {};
    return std::string(name_of(calls.wrong())) + " returned " +
           std::to_string(calls.wrong_status());
  }

  Tally tally_;
};

/// Returns whether a function works only between operating system processes: `ClientFiles` has
/// correct programs of these.
bool needs_processes(std::string_view function) {
  return function == "cuMemPoolExportToShareableHandle" ||
         function == "cuMemPoolImportFromShareableHandle" || function == "cuMemPoolExportPointer" ||
         function == "cuMemPoolImportPointer";
}

// ---- no false alarms --------------------------------------------------------------------------

/// Counts how often each of a kind of things was done, and which least often.
class Coverage {
 public:
  Coverage(const char* kind, int program_count)
      : kind_(kind), wanted_(kLeastCount * program_count / kFullCount) {}
  void add(const std::string& what, int times) {
    EXPECT_GE(times, wanted_) << kind_ << ": " << what;
    if (count_++ == 0 || times < least_) {
      least_ = times;
      rarest_ = what;
    }
  }
  void print() const {
    std::printf("  %zu %s, each at least %d times: %s\n", count_, kind_, least_, rarest_.c_str());
  }

 private:
  const char* kind_;
  int wanted_;
  std::size_t count_ = 0;
  int least_ = 0;
  std::string rarest_;
};

TEST_F(SoundPrograms, AreNeverAtFaultAndCoverEveryFunctionAndTransition) {
  const int count = program_count();
  for (int seed = 1; seed <= count; ++seed) {
    const Ending ending = run(static_cast<std::uint64_t>(seed), kStepCount);
    ASSERT_EQ(complaint(), "") << "seed " << seed;
    ASSERT_EQ(ending, Ending::finished) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  Coverage functions("functions", count);
  for (std::size_t i = 0; i < kEntryCount; ++i)
    if (const std::string name = name_of(static_cast<Entry>(i)); !needs_processes(name))
      functions.add(name, tally_.calls.count_of(static_cast<Entry>(i)));
  Coverage transitions("transitions", count);
  for (std::size_t i = 0; i < kTransitionCount; ++i)
    transitions.add(std::string(name_of(kTransitions[i].from)) + " " + name_of(kTransitions[i].via),
                    tally_.taken[i]);
  Coverage preconditions("preconditions", count);
  for (std::size_t i = 0; i < kRuleCount; ++i) preconditions.add(kRules[i].name, tally_.kept[i]);
  std::printf("  %d sound programs, no fault\n", count);
  for (const Coverage& each : {functions, transitions, preconditions}) each.print();
}

// ---- checks of the checks ---------------------------------------------------------------------

TEST_F(SoundPrograms, DoNotCountACallWithAnUnexpectedResult) {
  Plain plain;
  Calls& calls = tally_.calls;
  stage.run(plain, [&calls] {
    calls.begin(1);
    CUgraph graph = nullptr;
    cuGraphCreate(&graph, 99);
    EXPECT_EQ(calls.wrong(), Entry::cuGraphCreate);
    EXPECT_EQ(calls.wrong_status(), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(calls.count_of(Entry::cuGraphCreate), 0);
    calls.expect(CUDA_ERROR_INVALID_VALUE);
    cuGraphCreate(&graph, 99);
    cuGraphCreate(&graph, 0);
    EXPECT_EQ(calls.count_of(Entry::cuGraphCreate), 2);
  });
}

TEST_F(SoundPrograms, RefuseAnUnknownTransition) {
  Program program(1, Rule::none, tally_);
  State state = State::stream_destroyed;
  EXPECT_NONFATAL_FAILURE(program.move(state, Via::work), "no such transition");
  EXPECT_EQ(state, State::stream_destroyed);
  program.move(state = State::stream_idle, Via::work);
  EXPECT_EQ(state, State::stream_busy);
}

TEST(SoundProgramsCoverage, FailsIfSomethingIsMissing) {
  Coverage functions("functions", kFullCount);
  functions.add("often", kLeastCount);
  EXPECT_NONFATAL_FAILURE(functions.add("seldom", kLeastCount - 1), "functions: seldom");
}

// ---- each precondition dropped ----------------------------------------------------------------

class DroppedPrecondition : public SoundPrograms,
                            public ::testing::WithParamInterface<std::size_t> {
 protected:
  bool shows(const Outcome& outcome) const {
    if (outcome.faults == 0) return tally_.calls.wrong_status() == outcome.error;
    return std::any_of(stage.faults.begin(), stage.faults.end(), [&](const Fault& fault) {
      return (kind_bit(fault.kind) & outcome.faults) != 0;
    });
  }
};

TEST_P(DroppedPrecondition, CausesItsFault) {
  const RuleInfo& rule = kRules[GetParam()];
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    run(seed, 4, static_cast<Rule>(GetParam()));
    EXPECT_TRUE(shows(rule.outcome)) << "seed " << seed << ": " << complaint();
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, DroppedPrecondition, ::testing::Range(std::size_t{0}, kRuleCount),
                         [](const auto& info) { return std::string(kRules[info.param].name); });

}  // namespace
}  // namespace harness::testing::sound
