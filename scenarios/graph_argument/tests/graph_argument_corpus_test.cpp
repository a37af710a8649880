// SPDX-License-Identifier: Apache-2.0
// The programs of the path: each reproduces a bug of the real system, and no smaller one does.
#include <gtest/gtest.h>

#include "harness/search/tests/corpus.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Case;
using harness::testing::ProgramProofs;
using harness::testing::read_corpus;

/// Returns whether every variant keeps the object alive.
bool is_protected(std::string_view window) { return window == "module_dropped"; }
/// Returns the variant that has the window. 0.7.0 takes no buffers for copies and sets, updates no
/// node of an executable, appends and defers nothing, and has no graph during a capture.
const char* shown_by(std::string_view window) {
  if (window == "operand_dropped" || window == "executable_changed") return "user_object_tuple";
  if (window == "update_failed" || window == "pending_queue_full" ||
      window == "capture_invalidated")
    return "move_to_graph";
  return "borrow";
}
/// Only variants that keep the GIL have these windows.
bool is_about_the_gil(std::string_view window) { return window.starts_with("gil_kept_in_call"); }
bool is_the_callers(std::string_view window) {
  return window == "buffer_closed" || window == "captured_dropped" ||
         window == "bare_address_dropped" || window.starts_with("graph_memory_misused") ||
         window == "reference_cycle";
}

TEST(GraphArgumentPrograms, FailAsShippedWithinThreeDecisionsAndHoldForRetainPerNode) {
  ProgramProofs proofs(scenario);
  for (const auto& [name, program] : read_corpus(scenario, "programs"))
    if (!is_protected(name) && !is_the_callers(name) && !is_about_the_gil(name))
      proofs.expect_distinguished(name, program, shown_by(name), "retain_per_node");
}

TEST(GraphArgumentPrograms, AreTheSmallest) {
  ProgramProofs proofs(scenario);
  for (const auto& [name, program] : read_corpus(scenario, "programs"))
    if (!is_protected(name) && !is_the_callers(name) && !is_about_the_gil(name) &&
        name != "argument_dropped-report")
      proofs.expect_smallest(name, program, shown_by(name));
}

TEST(GraphArgumentPrograms, ProgramsOfProtectedWindowsReachThemAndPass) {
  ProgramProofs proofs(scenario);
  const auto programs = read_corpus(scenario, "programs");
  proofs.expect_holds("module_dropped", programs.at("module_dropped").the_case, "retain_per_node",
                      1);
}

TEST(GraphArgumentPrograms, KeepingTheGilHangsAndReleasingItPasses) {
  ProgramProofs proofs(scenario);
  const auto programs = read_corpus(scenario, "programs");
  const auto& kept = programs.at("gil_kept_in_call");
  proofs.expect_distinguished("gil_kept_in_call", kept, "gil_kept", "retain_per_node");
  proofs.expect_smallest("gil_kept_in_call", kept, "gil_kept");
  // Destructors must take the GIL in order to reach this.
  proofs.expect_smallest("gil_kept_in_call-deleter", programs.at("gil_kept_in_call-deleter"),
                         "gil_kept_in_deleters");
}

// For every variant, the contract's faults are caller errors, and no other fault is
// found.
TEST(GraphArgumentPrograms, ContractViolationsAreCallerErrors) {
  harness::Runner runner;
  const auto programs = read_corpus(scenario, "programs");
  for (const char* name : {"buffer_closed", "captured_dropped", "bare_address_dropped",
                           "graph_memory_misused", "graph_memory_misused-again", "reference_cycle"})
    for (const char* variant : {"borrow", "retain_per_node"}) {
      Case the_case = programs.at(name).the_case;
      the_case.variant = variant_named(variant);
      const harness::Outcome& outcome = runner.run(the_case);
      EXPECT_FALSE(outcome.caller_errors.empty()) << name << " " << variant;
      const int window = harness::testing::window_of_program(scenario, name);
      EXPECT_NE(outcome.reached >> window & 1, 0u) << name;
    }
}

TEST(GraphArgumentCorpus, TheSeedPlainIsTheDocumentedOrdinaryUse) {
  harness::testing::expect_plain_seed(scenario, plain_program().tape(),
                                      "default_stream=legacy collector=eval_breaker");
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
