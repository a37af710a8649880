// SPDX-License-Identifier: Apache-2.0
// The programs of the path: each reproduces a bug of the real system, and no smaller one does.
#include <gtest/gtest.h>

#include "harness/search/tests/corpus.h"
#include "scenarios/argpack/tests/argpack_cases.h"

namespace scenarios::argpack::testing {
namespace {

using harness::testing::ProgramProofs;
using harness::testing::read_corpus;

/// Returns whether a variable keeps the pack alive in usual programs.
bool is_protected(const std::string& window) { return window == "top_level_dropped"; }

class ArgpackProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(ArgpackProgram, FailsAsShippedWithinThreeDecisionsAndHoldsForOwn) {
  ProgramProofs proofs(scenario);
  proofs.expect_distinguished(GetParam(), read_corpus(scenario, "programs").at(GetParam()),
                              "borrow", "own");
}

TEST_P(ArgpackProgram, IsTheSmallest) {
  ProgramProofs proofs(scenario);
  proofs.expect_smallest(GetParam(), read_corpus(scenario, "programs").at(GetParam()), "borrow");
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, ArgpackProgram,
    ::testing::ValuesIn(harness::testing::program_names(scenario, is_protected)),
    [](const auto& info) { return harness::testing::as_test_name(info.param); });

TEST(ArgpackPrograms, TheTopLevelPackOfOrdinaryUseIsProtected) {
  ProgramProofs proofs(scenario);
  const auto programs = read_corpus(scenario, "programs");
  proofs.expect_holds("top_level_dropped", programs.at("top_level_dropped").the_case, "borrow", 2);
}

TEST(ArgpackCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  harness::testing::expect_plain_seed(scenario, plain_program().tape(), "backend=cuda_pool gil=on");
}

}  // namespace
}  // namespace scenarios::argpack::testing
