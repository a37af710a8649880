// SPDX-License-Identifier: Apache-2.0
// Verdict: the result of the runs for a claim.
#pragma once

#include <cstdint>
#include <span>

#include "harness/base/label.h"

namespace harness {

enum class ClaimKind : std::uint8_t { sound, unsound, vacuous };

/// A documented error with which a variant keeps out of a window.
struct DocumentedRefusal {
  Label window;
  Label answer;
};

/// The claim of the author of a variant.
struct Claim {
  ClaimKind kind;
  /// Names of windows (or of fault kinds, for hazards without one) through which it fails. A window
  /// that is open by only one way in is named with that way: "window/way".
  std::span<const Label> hazards;
  /// The hazard appears even in `seeds/plain`: a leak, or over-correction.
  bool always = false;
  /// The claim in a sentence.
  const char* words = "";
  std::span<const DocumentedRefusal> refusals = {};
};

/// Returns the claim for one window alone: sound if it names no hazard there.
Claim claim_in(const Claim& claim, Label window);

/// Returns whether the claim names this hazard, by any way in.
bool names(const Claim& claim, Label hazard);
/// Returns whether the claim names this hazard by this way in; an empty `way` means every way.
bool names(const Claim& claim, Label hazard, Label way);
/// Returns whether a word of a claim means `hazard`, perhaps by one way in only.
bool is_word_for(Label word, Label hazard);

enum class Verdict : std::uint8_t {
  caught,   ///< Claimed unsound, and a fault was found.
  missed,   ///< Claimed unsound, and no fault was found.
  held,     ///< Claimed sound, and no fault was found in runs that were not vacuous.
  refuted,  ///< Claimed sound (or vacuous), and a fault was found.
  vacuous,  ///< Every run was vacuous.
  /// Nothing was found, but some config had too few runs. Never as claimed.
  too_few_runs,
};

/// The counts of a set of runs.
struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t vacuous_runs = 0;
  std::uint64_t faulty_runs = 0;
};

/// Minimum number of runs of a config for the absence of faults to count. Vacuous runs count only
/// if the claim is vacuous.
inline constexpr std::uint64_t kEnoughRuns = 30;

/// Returns the number of runs in which the path under test really ran.
inline std::uint64_t exercised_runs(const Tally& tally) { return tally.runs - tally.vacuous_runs; }

/// Returns the number of runs that count for the claim in the config with the fewest.
std::uint64_t least_runs(const Claim& claim, std::span<const Tally> configs);

/// Judges the claim by the runs of these configs. One run with a fault is enough; the absence of
/// faults takes kEnoughRuns in every config.
Verdict judge(const Claim& claim, std::span<const Tally> configs);
/// Judges by the counts of one config.
Verdict judge(const Claim& claim, const Tally& tally);

/// Returns whether the verdict is the one that the claim announces.
bool as_claimed(const Claim& claim, Verdict verdict);

// ---- one window of a variant --------------------------------------------------------------------

/// The runs that got to one window of a variant, by one way in, and their results.
struct Arrivals {
  std::uint64_t reached = 0;
  std::uint64_t caught = 0;    ///< Runs with a fault there.
  std::uint64_t first = 0;     ///< Runs that failed there first.
  std::uint64_t contract = 0;  ///< Runs in which the caller broke the contract there.
  std::uint64_t refused = 0;   ///< Runs in which the variant gave its documented refusal there.
  std::uint64_t strayed = 0;   ///< Runs that are known only by their fault to have reached the
                               ///< window.
};

/// Minimum number of arrivals for the absence of faults in a window to count.
inline constexpr std::uint64_t kEnoughArrivals = 1000;

/// The result of the runs for one window of a variant.
enum class Standing : std::uint8_t {
  open,      ///< Claimed, and a fault was found there.
  closed,    ///< Reached often enough, and no fault was found.
  refused,   ///< No fault was found, and the variant returned a documented error.
  contract,  ///< The caller must avoid it: every fault there followed from a breach of contract.
  too_few_runs,  ///< No fault was found, in too few arrivals to be meaningful.
  never_reached,
  follows,  ///< Not claimed, and runs failed there only after another fault.
  missed,   ///< Claimed and reached often enough, but no fault was found: the claim is refuted.
  outside,  ///< Not claimed, and a run failed there first: the claim is refuted.
};

/// Returns the standing of a window with these arrivals. `claimed`: the claim names the window;
/// `callers`: the contract assigns it to the caller.
Standing stand(bool claimed, const Arrivals& arrivals, bool callers = false);
/// Returns whether the standing of a window contradicts the claim.
inline bool refutes(Standing standing) {
  return standing == Standing::missed || standing == Standing::outside;
}

/// Returns the word for a claim.
Label to_label(ClaimKind kind);
/// Returns the word for a verdict.
Label to_label(Verdict verdict);
/// Returns the word for a standing.
Label to_label(Standing standing);

}  // namespace harness
