// No false alarms: programs that keep what the documentation asks of them are never at fault,
// however late the work is and whatever storage they are given; and every precondition that is
// dropped gives its fault, or the error that is documented for it.
//
// How many programs there are, AFTERLIFE_SOUND_PROGRAMS says; the figure `no_false_alarms` asks for
// 10 000.
#include <cstdlib>
#include <string>

#include "harness/tests/sound_programs/steps.h"

namespace harness::testing::sound {
namespace {

constexpr int kFullCount = 10'000;
constexpr int kStepCount = 60;

/// Picks at random. In some programs all work is done as it comes, in some it is late; in some of
/// these it goes on while the host goes on, in some only once somebody waits for it.
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
  return count != nullptr ? std::atoi(count) : kFullCount / 10;
}

class SoundPrograms : public OnSim {
 protected:
  SoundPrograms() { stage.judge_order(); }

  /// Runs the program of this seed, and returns how it ended.
  Ending run(std::uint64_t seed, int step_count, Rule dropped = Rule::none) {
    Whim whim(~seed);
    Program program(seed, dropped, tally_);  // Outside of the task, which may never unwind.
    return stage.run_bare(whim, [&] { program.run(all_steps(), step_count); });
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

// ---- no false alarms --------------------------------------------------------------------------

/// Which of the functions cannot be part of a sound program, and why.
constexpr Entry kExcluded[] = {Entry::count};

struct Least {
  std::string name;
  int count = 1 << 30;
  void take(const std::string& what, int times) {
    if (times < count) *this = {what, times};
  }
};

TEST_F(SoundPrograms, AreNeverAtFaultAndReachEveryFunctionTransitionAndRule) {
  const int count = program_count();
  for (int seed = 1; seed <= count; ++seed) {
    const Ending ending = run(static_cast<std::uint64_t>(seed), kStepCount);
    ASSERT_EQ(complaint(), "") << "seed " << seed;
    ASSERT_EQ(ending, Ending::finished) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  // A share of the programs has to show a share of the coverage.
  const int wanted = 100 * count / kFullCount;
  Least entry;
  Least transition;
  Least rule;
  for (std::size_t i = 0; i < kEntryCount; ++i) {
    const auto each = static_cast<Entry>(i);
    if (std::count(std::begin(kExcluded), std::end(kExcluded), each) != 0) continue;
    entry.take(name_of(each), tally_.calls.count_of(each));
    EXPECT_GE(tally_.calls.count_of(each), wanted) << name_of(each);
  }
  for (std::size_t i = 0; i < kTransitionCount; ++i) {
    const Transition& each = kTransitions[i];
    const std::string name = std::string(name_of(each.from)) + " " + name_of(each.via);
    transition.take(name, tally_.taken[i]);
    EXPECT_GE(tally_.taken[i], wanted) << name;
  }
  for (std::size_t i = 0; i < kRuleCount; ++i) {
    rule.take(kRules[i].name, tally_.kept[i]);
    EXPECT_GE(tally_.kept[i], wanted) << kRules[i].name;
  }
  std::printf(
      "sound programs: %d, no fault; least of %zu functions: %s %d; of %zu transitions: %s %d; "
      "of %zu preconditions: %s %d\n",
      count, kEntryCount - std::size(kExcluded) + 1, entry.name.c_str(), entry.count,
      kTransitionCount, transition.name.c_str(), transition.count, kRuleCount, rule.name.c_str(),
      rule.count);
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

TEST_P(DroppedPrecondition, GivesItsFault) {
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
