// SPDX-License-Identifier: Apache-2.0
// The committed corpus of a path, read by its tests: corpus/<path>/{programs,repros,seeds}. With
// AFTERLIFE_WRITE_CORPUS=1 tests rewrite the parts that follow from the code: seeds/plain, and the
// traces of reproducers that still show their faults.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/run/run.h"
#include "harness/search/minimize/minimize.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::testing {

bool writes_corpus();

std::filesystem::path corpus_of(const Scenario& scenario);

/// The files of one folder, by name without ending. Empty if there is no such folder.
std::map<std::string, Reproducer> read_corpus(const Scenario& scenario, const char* folder);

/// The names of the programs but those that are left out: for a test of each, as enumerating takes
/// its time.
std::vector<std::string> program_names(const Scenario& scenario,
                                       bool (*left_out)(const std::string& name));

/// The name with nothing in it that the name of a test may not have.
std::string as_test_name(std::string name);

/// The window that a program is named after, or -1: "parent_freed", or "parent_freed-context" where
/// it has several.
int window_of_program(const Scenario& scenario, std::string_view name);

/// Expects that the committed seed is `tape` in libFuzzer's encoding, for `config`. Writes it on
/// request.
void expect_plain_seed(const Scenario& scenario, Tape tape, std::string_view config);

/// Proofs of the programs of a path, each with only as many choices as needed.
class ProgramProofs {
 public:
  static constexpr std::uint32_t kMostDecisions = 3;

  explicit ProgramProofs(const Scenario& scenario) : scenario_(scenario) {}

  Proof prove(Case the_case, std::string_view variant, std::uint32_t decisions,
              const Sought& sought);

  /// `unsound` fails in the window, with the fault that the program records if it does, within
  /// `most` choices; `sound` holds within as many as that took, and goes through the window.
  void expect_distinguished(const std::string& name, const Reproducer& program,
                            std::string_view unsound, std::string_view sound,
                            std::uint32_t most = kMostDecisions);
  /// `sound` reaches the window, and passes within `decisions`.
  void expect_holds(const std::string& name, const Case& the_case, std::string_view sound,
                    std::uint32_t decisions, int in_window = -1);
  /// Without any one of its ops, `unsound` passes with as many choices as the program has.
  void expect_smallest(const std::string& name, const Reproducer& program, std::string_view unsound,
                       std::uint32_t most = kMostDecisions);

  Runner& runner() { return runner_; }

 private:
  Sought fault_of(const std::string& name, const Reproducer& program) const;

  const Scenario& scenario_;
  Runner runner_;
};

}  // namespace harness::testing
