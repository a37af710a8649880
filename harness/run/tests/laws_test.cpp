// SPDX-License-Identifier: Apache-2.0
// The laws that every scenario, variant and config obeys (harness/docs/explanation/design.md), at a
// size that fits a test; scripts/test.sh --long asks the same at full size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/sampled.h"
#include "harness/core/fault/kinds.h"
#include "harness/core/pick/replay.h"
#include "harness/run/strategies/bytes.h"
#include "harness/search/search.h"

namespace harness {
namespace {

constexpr std::uint64_t kReplayRuns = 25;
constexpr std::uint64_t kHoldRuns = 250;
constexpr std::uint64_t kCatchRuns = 40'000;
constexpr double kCatchSeconds = 60;  ///< Only so that a broken build ends.

/// One cell of the matrix, in one config.
struct Subject {
  const Scenario* scenario;
  std::size_t variant;
  std::size_t config;

  const VariantInfo& info() const { return scenario->variants[variant]; }
  Case with(Tape tape) const {
    return {scenario, variant, config_at(*scenario, config), find(tables::devices(), "sim"),
            std::move(tape)};
  }
};

std::string word(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

std::string name_of(const Subject& subject) {
  return word(std::string(subject.scenario->name.view()) + "_" + subject.info().name.c_str() + "_" +
              to_string(*subject.scenario, config_at(*subject.scenario, subject.config)));
}

void PrintTo(const Subject& subject, std::ostream* out) { *out << name_of(subject); }

/// Under a sanitizer the laws are always checked for a sample.
const bool kSampled = kAsan || kTsan || harness::is_sampled();

/// A sample has a variant's first config and one more, another for each variant: which memory is
/// touched differs little between configs.
bool is_in_sample(std::size_t variant, std::size_t config, std::size_t count) {
  constexpr std::size_t kStride = 11;  // No divisor of a path's count: all configs have their turn.
  return !kSampled || config == 0 || config == (variant + 1) * kStride % count;
}

std::vector<Subject> every_config() {
  std::vector<Subject> subjects;
  for (const Scenario* scenario : tables::scenarios())
    for (std::size_t variant = 0; variant < scenario->variants.size(); ++variant)
      for (std::size_t config = 0, count = config_count(*scenario); config < count; ++config)
        if (is_in_sample(variant, config, count)) subjects.push_back({scenario, variant, config});
  return subjects;
}

ClaimKind claim_of(const Subject& subject) { return subject.info().claim.kind; }
bool is_sound(const Subject& subject) { return claim_of(subject) == ClaimKind::sound; }
bool is_unsound(const Subject& subject) { return claim_of(subject) == ClaimKind::unsound; }
bool shows_something(const Subject& subject) { return claim_of(subject) != ClaimKind::vacuous; }

/// Subjects to which a law does not apply are not instances of it.
std::vector<Subject> configs_of(bool (*is_asked)(const Subject&)) {
  std::vector<Subject> subjects = every_config();
  std::erase_if(subjects, [&](const Subject& subject) { return !is_asked(subject); });
  return subjects;
}

std::vector<Subject> variants_of(bool (*is_asked)(const Subject&)) {
  std::vector<Subject> subjects = configs_of(is_asked);
  std::erase_if(subjects, [](const Subject& subject) { return subject.config != 0; });
  return subjects;
}

/// The unsound variants; one in four is in the sample, as their laws take whole searches.
std::vector<Subject> searched_variants() {
  std::vector<Subject> subjects = variants_of(is_unsound);
  if (!kSampled) return subjects;
  std::vector<Subject> sampled;
  for (std::size_t i = 0; i < subjects.size(); i += 4) sampled.push_back(subjects[i]);
  return sampled;
}

/// The runner is made once: a World is large, and reusing it is part of what is tested.
Runner& runner() {
  static Runner one;
  return one;
}

std::unique_ptr<Strategy> random_walk(std::uint64_t seed) {
  return find(tables::strategies(), "random_walk")->make(seed);
}

/// The documented ordinary use of a path. As text or, for fuzzers, as bytes.
Tape plain_seed(const Scenario& scenario) {
  const std::filesystem::path file =
      std::filesystem::path("corpus") / scenario.name.view() / "seeds" / "plain";
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file << " is missing";
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.starts_with("afterlife reproducer"))
    return parse_reproducer(text, "plain").the_case.tape;
  return strategies::decode({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// Hazards are claimed by the name of their window, or by their kind.
void add_names(std::set<std::string>& names, const Scenario& scenario, const Fault& fault,
               int window) {
  names.emplace(to_label(fault.kind).view());
  if (window >= 0) names.emplace(scenario.windows[static_cast<std::size_t>(window)].name.view());
}

std::set<std::string> claimed_by(const Claim& claim) {
  std::set<std::string> names;
  for (const Label& word : claim.hazards)  // "window/way" where it is open by that way in alone.
    names.emplace(word.view().substr(0, word.view().find('/')));
  return names;
}

std::string first_fault(const Outcome& outcome) {
  return outcome.failed() ? outcome.faults.front().signature() : "";
}

class Laws : public ::testing::TestWithParam<Subject> {};
class LawsOfTheSound : public Laws {};
class LawsOfWhatRuns : public Laws {};
class VariantLawsOfTheSound : public Laws {};
class VariantLawsOfTheUnsound : public Laws {};

TEST_P(Laws, PlainTheEmptyTapePassesVacuously) {
  const Outcome& outcome = runner().run(GetParam().with({}));
  EXPECT_EQ(first_fault(outcome), "");
  EXPECT_TRUE(outcome.vacuous);
  EXPECT_TRUE(outcome.tape.empty());
}

TEST_P(LawsOfWhatRuns, PlainOrdinaryUsePassesAndIsNotVacuous) {
  const Subject& subject = GetParam();
  const Claim& claim = subject.info().claim;
  const Outcome& outcome = runner().run(subject.with(plain_seed(*subject.scenario)));
  EXPECT_FALSE(outcome.vacuous);
  EXPECT_EQ(outcome.failed(), claim.always) << first_fault(outcome);
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    std::set<std::string> names;
    add_names(names, *subject.scenario, outcome.faults[i], outcome.windows[i]);
    bool claimed = false;
    for (const std::string& name : names) claimed |= claimed_by(claim).contains(name);
    EXPECT_TRUE(claimed) << outcome.faults[i].signature() << " is not claimed";
  }
}

TEST_P(Laws, ReplayOfATapeGivesTheSameRun) {
  const Subject& subject = GetParam();
  const auto strategy = random_walk(subject.config + 1);
  for (std::uint64_t i = 0; i < kReplayRuns; ++i) {
    const Case blank = subject.with({});
    const Outcome first =
        runner().run(*blank.scenario, blank.variant, blank.config, *blank.device, *strategy);
    const std::uint64_t trace = runner().trace_hash();
    const Outcome& again = runner().run(subject.with(first.tape));
    ASSERT_EQ(runner().trace_hash(), trace) << "run " << i;
    ASSERT_EQ(again.faults, first.faults) << "run " << i;
    ASSERT_EQ(again.tape, first.tape) << "run " << i;
    ASSERT_EQ(again.ending, first.ending) << "run " << i;
    ASSERT_EQ(again.reached, first.reached) << "run " << i;
  }
}

TEST_P(LawsOfTheSound, HoldOfASoundVariantNeverFails) {
  const Subject& subject = GetParam();
  const auto strategy = random_walk(subject.config + 1000);
  const Case blank = subject.with({});
  for (std::uint64_t i = 0; i < kHoldRuns; ++i) {
    const Outcome& outcome =
        runner().run(*blank.scenario, blank.variant, blank.config, *blank.device, *strategy);
    ASSERT_EQ(first_fault(outcome), "") << "run " << i;
  }
}

/// A random walk in which every call that can fail does, and every second of the next run's.
class Failing final : public Strategy {
 public:
  explicit Failing(std::uint64_t seed) : others_(random_walk(seed)) {}
  void begin() override {
    others_->begin();
    step_ = step_ == 1 ? 2 : 1;
    asked_ = 0;
  }
  std::uint32_t answer(const Question& question) override {
    if (question.site != Site::failure) return others_->answer(question);
    if (++asked_ % step_ != 0) return 0;
    return 1 + asked_ / step_ % (question.option_count - 1);
  }

 private:
  std::unique_ptr<Strategy> others_;
  std::uint32_t step_ = 2;
  std::uint32_t asked_ = 0;
};

TEST_P(LawsOfTheSound, HoldOfASoundVariantUnderInjectedErrorsNeverFails) {
  const Subject& subject = GetParam();
  Failing strategy(subject.config + 3000);
  const Case blank = subject.with({});
  for (std::uint64_t i = 0; i < kReplayRuns; ++i) {
    const Outcome& outcome =
        runner().run(*blank.scenario, blank.variant, blank.config, *blank.device, strategy);
    ASSERT_EQ(first_fault(outcome), "") << "run " << i;
  }
}

TEST_P(LawsOfWhatRuns, VacuityTheGeneratorExercisesThePath) {
  const Subject& subject = GetParam();
  const auto strategy = random_walk(subject.config + 2000);
  const Case blank = subject.with({});
  std::uint64_t exercised = 0;
  for (std::uint64_t i = 0; i < kReplayRuns; ++i)
    exercised +=
        runner().run(*blank.scenario, blank.variant, blank.config, *blank.device, *strategy).vacuous
            ? 0
            : 1;
  EXPECT_GE(exercised * 10, kReplayRuns) << exercised << " of " << kReplayRuns << " runs";
}

/// Searches all configs until what was found is enough.
SearchResult search_until(const Subject& subject,
                          const std::function<bool(const Finding&)>& enough) {
  std::atomic<bool> stop = false;
  SearchOptions options;
  options.stop = &stop;
  options.found = [&](const Finding& finding) { stop = stop || enough(finding); };
  options.strategy = find(tables::strategies(), "random_walk");
  options.device = find(tables::devices(), "sim");
  options.second_limit = kCatchSeconds;
  options.run_limit = kCatchRuns;
  options.minimize = false;
  return search(runner(), *subject.scenario, subject.variant, options);
}

TEST_P(VariantLawsOfTheUnsound, CatchEveryClaimedHazard) {
  const Subject& subject = GetParam();
  const Claim& claim = subject.info().claim;
  const std::set<std::string> claimed = claimed_by(claim);
  std::set<std::string> shown;
  const SearchResult result = search_until(subject, [&](const Finding& finding) {
    add_names(shown, *subject.scenario, finding.fault, finding.window);
    return std::includes(shown.begin(), shown.end(), claimed.begin(), claimed.end());
  });
  EXPECT_EQ(result.verdict, Verdict::caught);
  for (std::size_t i = 0; i < result.windows.size(); ++i)  // More than there are findings kept.
    if (result.windows[i].caught > 0) shown.emplace(subject.scenario->windows[i].name.view());
  for (const std::string& hazard : claimed)
    EXPECT_TRUE(shown.contains(hazard)) << "not shown: " << hazard;
}

/// Returns whether it was finished; then expects that there is nothing more to leave out. One that
/// the limit of runs cut short says nothing.
bool expect_smallest(const Finding& finding, const Minimized& once) {
  if (!once.finished) return false;
  const Minimized twice = minimize(runner(), once.the_case, finding.signature);
  EXPECT_EQ(canonical(twice.the_case.tape), canonical(once.the_case.tape)) << finding.signature;
  return true;
}

Minimized expect_law(const Finding& finding, const Limits& limits) {
  const Case& found = finding.found.the_case;
  const Minimized once = minimize(runner(), found, finding.signature, limits);
  EXPECT_TRUE(once.reproduced && once.deterministic) << finding.signature;
  EXPECT_LE(once.the_case.tape.size(), found.tape.size());
  EXPECT_EQ(once.the_case.config, found.config);
  EXPECT_EQ(once.the_case.variant, found.variant);
  const Outcome& outcome = runner().run(once.the_case);
  EXPECT_TRUE(std::any_of(outcome.faults.begin(), outcome.faults.end(), [&](const Fault& fault) {
    return fault.signature() == finding.signature;
  })) << finding.signature;
  return once;
}

TEST_P(VariantLawsOfTheUnsound, ShrinkKeepsTheFaultAndNeverGrows) {
  const Subject& subject = GetParam();
  constexpr std::size_t kMinimized = 4;
  constexpr Limits kThatFinishes{.run_limit = 20'000};
  std::size_t count = 0, finished = 0;
  const SearchResult result =
      search_until(subject, [&](const Finding&) { return ++count >= kMinimized; });
  ASSERT_FALSE(result.findings.empty());
  for (std::size_t i = 0; i < std::min(result.findings.size(), kMinimized); ++i) {
    const Finding& finding = result.findings[i];
    finished += expect_smallest(finding, expect_law(finding, {})) ? 1 : 0;
  }
  const Finding& shortest = *std::ranges::min_element(
      result.findings, {}, [](const Finding& one) { return one.found.the_case.tape.size(); });
  EXPECT_TRUE(finished > 0 || expect_smallest(shortest, expect_law(shortest, kThatFinishes)))
      << "the law was not tried";
}

/// Returns the values that the scenario looked at in a run, in order.
std::vector<std::pair<std::string, std::uint64_t>> observed() {
  std::vector<std::pair<std::string, std::uint64_t>> values;
  for (const Event& event : runner().history().events())
    if (event.kind == EventKind::observe) values.emplace_back(event.what.c_str(), event.value);
  return values;
}

TEST_P(VariantLawsOfTheSound, TwinSimAndGpuObserveEqualValues) {
  const Subject& subject = GetParam();
  const DeviceInfo* gpu = find(tables::devices(), "gpu");
  Case the_case = subject.with(plain_seed(*subject.scenario));
  runner().run(the_case);
  const auto on_sim = observed();
  EXPECT_FALSE(on_sim.empty());
  the_case.device = gpu;
  try {
    if (gpu == nullptr) throw std::runtime_error("no device is called gpu");
    runner().run(the_case);
  } catch (const std::runtime_error& none) {
    GTEST_SKIP() << none.what();
  }
  EXPECT_EQ(observed(), on_sim);
}

const auto kName = [](const auto& info) { return name_of(info.param); };
INSTANTIATE_TEST_SUITE_P(Each, Laws, ::testing::ValuesIn(every_config()), kName);
INSTANTIATE_TEST_SUITE_P(Each, LawsOfTheSound, ::testing::ValuesIn(configs_of(is_sound)), kName);
INSTANTIATE_TEST_SUITE_P(Each, LawsOfWhatRuns, ::testing::ValuesIn(configs_of(shows_something)),
                         kName);
INSTANTIATE_TEST_SUITE_P(Each, VariantLawsOfTheSound, ::testing::ValuesIn(variants_of(is_sound)),
                         kName);
INSTANTIATE_TEST_SUITE_P(Each, VariantLawsOfTheUnsound, ::testing::ValuesIn(searched_variants()),
                         kName);

}  // namespace
}  // namespace harness
