// SPDX-License-Identifier: Apache-2.0
// The committed corpus of every path is what it claims to be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/run/tables.h"
#include "harness/search/tests/corpus.h"

namespace harness {
namespace {

using testing::corpus_of;
using testing::read_corpus;
using testing::writes_corpus;

class TestCorpus : public ::testing::TestWithParam<const Scenario*> {
 protected:
  const Scenario& scenario() const { return *GetParam(); }
};

TEST_P(TestCorpus, HasAProgramForEveryWindow) {
  const auto programs = read_corpus(scenario(), "programs");
  for (const Window& window : scenario().windows)
    EXPECT_TRUE(programs.contains(std::string(window.name.view()))) << window.name.view();
}

TEST_P(TestCorpus, ProgramsHoldOnlyDecisionsNeededForTheirFault) {
  for (const auto& [name, program] : read_corpus(scenario(), "programs"))
    for (const Decision& decision : program.faults.empty() ? program.the_case.tape : Tape{})
      EXPECT_TRUE(decision.site_tag == site_tag(Site::op) ||
                  decision.site_tag == site_tag(Site::argument))
          << name;
}

/// The faults of a run in the order of the file, which may begin with the fault that it is about.
void put_first(const std::string& fault, std::vector<std::string>& faults) {
  const auto found = std::find(faults.begin(), faults.end(), fault);
  if (found != faults.end()) std::rotate(faults.begin(), found, found + 1);
}

TEST_P(TestCorpus, EveryReproducerShowsItsRecordedFault) {
  Runner runner;
  for (const auto& [name, repro] : read_corpus(scenario(), "repros")) {
    ASSERT_FALSE(repro.faults.empty()) << name;
    const Outcome& outcome = runner.run(repro.the_case);
    Reproducer found = describe(runner, outcome, repro.the_case);
    put_first(repro.faults.front(), found.faults);
    EXPECT_EQ(found.faults, repro.faults) << name;
    if (writes_corpus() && found.faults == repro.faults)
      write_reproducer((corpus_of(scenario()) / "repros" / (name + ".repro")).string(), found);
    else
      EXPECT_EQ(found.trace, repro.trace) << name;
  }
}

/// The parts of a signature between spaces, colons and slashes.
std::vector<std::string_view> words_of(std::string_view signature) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= signature.size();) {
    const std::size_t end = std::min(signature.find_first_of(" :/", begin), signature.size());
    words.push_back(signature.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool shows(const Scenario& scenario, const Outcome& outcome, std::string_view hazard) {
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    const int window = outcome.windows[i];
    const Label shown = window >= 0 ? scenario.windows[static_cast<std::size_t>(window)].name
                                    : to_label(outcome.faults[i].kind);
    if (shown.view() == hazard) return true;
  }
  return false;
}

// Named <variant>-<hazard>: a window, or the kind of the fault where it has none.
TEST_P(TestCorpus, HasAReproducerForEveryClaimedHazard) {
  Runner runner;
  const auto repros = read_corpus(scenario(), "repros");
  for (std::size_t variant = 0; variant < scenario().variants.size(); ++variant)
    for (const Label word : scenario().variants[variant].claim.hazards) {
      const std::string hazard = std::string(word.view()).substr(0, word.view().find('/'));
      const std::string name =
          fmt::format("{}-{}", scenario().variants[variant].name.view(), hazard);
      ASSERT_TRUE(repros.contains(name)) << name;
      const Case& the_case = repros.at(name).the_case;
      EXPECT_EQ(the_case.variant, variant) << name;
      EXPECT_TRUE(shows(scenario(), runner.run(the_case), hazard)) << name;
    }
}

// A window is the scenario's judgement of a fault, and a signature is what the program shows.
TEST_P(TestCorpus, NoSignatureContainsAWindowName) {
  for (const char* folder : {"programs", "repros", "smallest"})
    for (const auto& [name, reproducer] : read_corpus(scenario(), folder))
      for (const std::string& signature : reproducer.faults)
        for (const std::string_view word : words_of(signature))
          for (const Window& window : scenario().windows)
            EXPECT_NE(word, window.name.view()) << folder << "/" << name;
}

INSTANTIATE_TEST_SUITE_P(Of, TestCorpus,
                         ::testing::ValuesIn(tables::scenarios().begin(),
                                             tables::scenarios().end()),
                         [](const auto& info) { return std::string(info.param->name.view()); });

}  // namespace
}  // namespace harness
