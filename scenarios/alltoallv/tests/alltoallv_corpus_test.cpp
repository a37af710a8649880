// SPDX-License-Identifier: Apache-2.0
// The programs of the path: each reproduces a bug of the real system, and no smaller one does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/search/tests/corpus.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::Case;
using harness::testing::ProgramProofs;
using harness::testing::read_corpus;

/// Returns whether a window is harmless by itself.
bool is_protected(const std::string& window) { return window == "slot_released"; }

/// Returns the variant for which the program fails: reread_slot if UCC has the window open.
std::string_view unsound(const harness::Reproducer& program) {
  return scenario.variants[program.the_case.variant].name.view();
}

class AlltoallvProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(AlltoallvProgram, FailsWithinThreeDecisionsAndHoldsForSnapshotRegion) {
  ProgramProofs proofs(scenario);
  const harness::Reproducer program = read_corpus(scenario, "programs").at(GetParam());
  proofs.expect_distinguished(GetParam(), program, unsound(program), "snapshot_region");
}

TEST_P(AlltoallvProgram, IsTheSmallest) {
  ProgramProofs proofs(scenario);
  const harness::Reproducer program = read_corpus(scenario, "programs").at(GetParam());
  proofs.expect_smallest(GetParam(), program, unsound(program));
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, AlltoallvProgram,
    ::testing::ValuesIn(harness::testing::program_names(scenario, is_protected)),
    [](const auto& info) { return harness::testing::as_test_name(info.param); });

TEST(AlltoallvPrograms, ReleasingTheSlotIsHarmlessByItself) {
  ProgramProofs proofs(scenario);
  const auto programs = read_corpus(scenario, "programs");
  const int window = harness::testing::window_of_program(scenario, "slot_released");
  proofs.expect_holds("slot_released", programs.at("slot_released").the_case, "reread_slot", 1,
                      window);
}

/// Returns a program for the window, or for a leak: two collectives, the second without a source on
/// rank 0.
Case program_for(const std::map<std::string, harness::Reproducer>& programs,
                 const std::string& hazard) {
  if (const auto found = programs.find(hazard); found != programs.end())
    return found->second.the_case;
  return make_case("reread_slot", "C=1 ranks=2 close=never",
                   Program().script(Op::alltoallv).script(Op::alltoallv, {1, 0, 0, 1}));
}

// Writes the missing ones: the first of the smallest sets of choices that reproduce the hazard.
TEST(AlltoallvPrograms, WriteTheMissingReproducersOnRequest) {
  if (!harness::testing::writes_corpus()) GTEST_SKIP() << "AFTERLIFE_WRITE_CORPUS is not set";
  ProgramProofs proofs(scenario);
  const auto programs = read_corpus(scenario, "programs");
  for (const harness::VariantInfo& variant : scenario.variants)
    for (const harness::Label hazard : variant.claim.hazards) {
      const std::string name = fmt::format("{}-{}", variant.name.view(), hazard.view());
      const auto file = harness::testing::corpus_of(scenario) / "repros" / (name + ".repro");
      if (std::filesystem::exists(file)) continue;
      const harness::Proof proof = proofs.prove(
          program_for(programs, hazard.c_str()), variant.name.view(), ProgramProofs::kMostDecisions,
          {.window = harness::testing::window_of_program(scenario, hazard.view())});
      ASSERT_TRUE(proof.failed) << name;
      const harness::Outcome& outcome = proofs.runner().run(proof.failing);
      write_reproducer(file.string(), describe(proofs.runner(), outcome, proof.failing));
    }
}

TEST(AlltoallvCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  harness::testing::expect_plain_seed(scenario, plain_program().tape(), "C=8 ranks=2 close=never");
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
