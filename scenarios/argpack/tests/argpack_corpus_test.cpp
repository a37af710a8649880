// The programs of the path: what they show of the real system, and that nothing smaller does.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/tests/corpus.h"
#include "scenarios/argpack/tests/argpack_cases.h"

namespace scenarios::argpack::testing {
namespace {

using harness::testing::ProgramProofs;
using harness::testing::read_corpus;

/// What the variable of ordinary use keeps alive.
bool is_protected(std::string_view window) { return window == "W0"; }

TEST(ArgpackPrograms, FailAsShippedWithinThreeDecisionsAndHoldForOwn) {
  ProgramProofs proofs(scenario);
  for (const auto& [name, program] : read_corpus(scenario, "programs"))
    if (!is_protected(name)) proofs.expect_told_apart(name, program, "borrow", "own");
}

/// One of them each, as enumerating takes its time.
class ArgpackProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(ArgpackProgram, IsTheSmallest) {
  ProgramProofs proofs(scenario);
  proofs.expect_smallest(GetParam(), read_corpus(scenario, "programs").at(GetParam()), "borrow");
}

std::vector<std::string> unprotected() {
  std::vector<std::string> names;
  for (const auto& [name, program] : read_corpus(scenario, "programs"))
    if (!is_protected(name)) names.push_back(name);
  return names;
}

std::string without_dashes(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Corpus, ArgpackProgram, ::testing::ValuesIn(unprotected()),
                         without_dashes);

TEST(ArgpackPrograms, TheTopLevelPackOfOrdinaryUseIsProtected) {
  ProgramProofs proofs(scenario);
  const auto programs = read_corpus(scenario, "programs");
  proofs.expect_holds("W0", programs.at("W0").the_case, "borrow", 2);
}

TEST(ArgpackCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  harness::testing::expect_plain_seed(scenario, plain_program().tape(), "backend=cuda_pool gil=on");
}

}  // namespace
}  // namespace scenarios::argpack::testing
