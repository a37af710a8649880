// Proving: what every schedule of few further decisions, on each program of a path, says of a
// claim.
//
// A program is about its window: it *fails* where a fault of that window is found; under a
// claim of sound (or vacuous) any fault is a failure. It *holds* only where every set of at most
// kLeastDecisions was run; below that the answer is *too small*: it decides nothing, and nor does a
// program on which the path never runs. Every number is a count: the same on every machine.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "harness/entries/cli/lookup.h"
#include "harness/entries/cli/programs.h"
#include "harness/minimize.h"

namespace harness::entries {

/// Below this k nothing is said to hold.
inline constexpr std::uint32_t kLeastDecisions = 2;
/// The largest k that is chosen by default, and the runs that one may take for the programs of a
/// window.
inline constexpr std::uint32_t kMostDecisions = 3;
inline constexpr std::uint64_t kWindowRunLimit = 200'000;

enum class Came : std::uint8_t {
  holds,
  fails,      ///< In its window; under a claim of sound or vacuous, anywhere.
  elsewhere,  ///< Holds in its window, and has a fault of none or of another one.
  vacuous,    ///< The path never ran.
  too_small,
  stopped,
};

struct ProgramProof {
  const Program* program;
  Came came;
  /// k: every set of at most so many was run, or fails at so many and no fewer.
  std::uint32_t decisions;
  std::uint64_t runs;  ///< Schedules of at most k decisions; what was run again counts once.
  std::uint64_t vacuous_runs;
  std::size_t questions;
  bool reached;             ///< Its window, in some run.
  std::uint64_t next_runs;  ///< Runs that one decision more would take.
  bool exhausted;           ///< There are no more schedules, whatever k.
  double seconds;
  std::string fault;   ///< Its signature; empty where there is none.
  std::string hazard;  ///< The window of that fault, or its kind where it has none.
  bool claimed;        ///< The claim names the hazard.
};

/// The answer of the programs to a claim.
enum class Conclusion : std::uint8_t {
  as_claimed,
  contradicted,
  undecided,  ///< Nothing contradicts it, and nothing that was run could have.
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
  /// Whether a program says nothing about the claim.
  bool is_undecided(const ProgramProof& row) const;
  /// Returns the hazards of the claim that are windows of which no program was run.
  std::vector<Label> without_program() const;
  /// Nothing that follows a stop could mend it.
  bool is_refuted() const;
};

struct ProvingOptions {
  int decisions = -1;  ///< -1 = the most that kWindowRunLimit allows, for each window.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const std::string&)> progress;
};

/// `programs` outlive the result.
VariantProof prove(Runner& runner, const Target& target, const std::vector<Program>& programs,
                   const ProvingOptions& options);

/// "as claimed", "NOT as claimed", "not decided", "stopped".
const char* to_text(Conclusion conclusion);

/// "holds", "fails", "fails elsewhere", "vacuous", "too small", "stopped".
const char* to_text(Came came);

}  // namespace harness::entries
