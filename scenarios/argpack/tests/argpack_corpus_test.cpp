// The programs of the path: what they show of the real system, and that nothing smaller does.
#include <gtest/gtest.h>

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

TEST(ArgpackPrograms, AreTheSmallest) {
  ProgramProofs proofs(scenario);
  for (const auto& [name, program] : read_corpus(scenario, "programs"))
    if (!is_protected(name)) proofs.expect_smallest(name, program, "borrow");
}

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
