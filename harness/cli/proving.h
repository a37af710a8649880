// SPDX-License-Identifier: Apache-2.0
// Proving: judges a claim by every schedule with few further choices, on each program of a path.
//
// A program belongs to a window. It *fails* if a fault of that window is found; if the claim is
// sound or vacuous, any fault is a failure. It *holds* only if every set of at most kLeastDecisions
// choices was run. Otherwise the answer is *too small*, which decides nothing. A program on which
// the path never runs decides nothing either. All numbers are counts, and equal on all machines.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "harness/cli/programs.h"
#include "harness/command/lookup.h"
#include "harness/search/minimize/minimize.h"

namespace harness::entries {

/// Least k at which a program can hold.
inline constexpr std::uint32_t kLeastDecisions = 2;
/// The largest default k, and its limit of runs for the programs of a window.
inline constexpr std::uint32_t kMostDecisions = 3;
inline constexpr std::uint64_t kWindowRunLimit = 200'000;

enum class Came : std::uint8_t {
  holds,
  fails,      ///< A fault in its window, or anywhere if the claim is sound or vacuous.
  elsewhere,  ///< Holds in its window, but has a fault elsewhere.
  vacuous,    ///< The path never ran.
  too_small,
  stopped,
};

struct ProgramProof {
  const Program* program;
  Came came;
  /// k: every set of at most this many was run, or the size of the smallest failing set.
  std::uint32_t decisions;
  std::uint64_t runs;  ///< Schedules of at most k choices, each counted once.
  std::uint64_t vacuous_runs;
  std::size_t questions;
  bool reached;             ///< A run reached its window.
  std::uint64_t next_runs;  ///< Number of runs that one more choice would take.
  bool exhausted;           ///< A larger k would add no schedules.
  double seconds;
  std::string fault;   ///< Signature of the fault; empty if there is none.
  std::string hazard;  ///< The window of that fault, or its kind if it has none.
  bool claimed;        ///< The claim names the hazard.
};

/// The result of the programs for a claim.
enum class Conclusion : std::uint8_t {
  as_claimed,
  contradicted,
  undecided,  ///< Nothing contradicts the claim, but no program could have.
  stopped,
};

struct VariantProof {
  Target target;
  std::vector<ProgramProof> programs;

  const Claim& claim() const { return target.scenario->variants[target.variant].claim; }
  std::uint64_t runs() const;
  std::size_t count(Came came) const;
  /// Nothing contradicts the claim, and some program decides it.
  bool as_claimed() const { return conclusion() == Conclusion::as_claimed; }
  Conclusion conclusion() const;
  /// Returns whether a program decides nothing about the claim.
  bool is_undecided(const ProgramProof& row) const;
  /// Returns the windows of the claim for which no program was run.
  std::vector<Label> without_program() const;
  /// Returns whether the claim is contradicted, which further runs cannot change.
  bool is_refuted() const;
};

struct ProvingOptions {
  int decisions = -1;  ///< -1 = the largest that kWindowRunLimit allows, for each window.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const std::string&)> progress;
};

/// Borrows `programs`, which must outlive the result.
VariantProof prove(Runner& runner, const Target& target, const std::vector<Program>& programs,
                   const ProvingOptions& options);

/// Returns "as claimed", "NOT as claimed", "not decided" or "stopped".
const char* to_text(Conclusion conclusion);

/// Returns "holds", "fails", "fails elsewhere", "vacuous", "too small" or "stopped".
const char* to_text(Came came);

}  // namespace harness::entries
