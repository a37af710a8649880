// Verdict: what a claim came to, once the runs are in.
#pragma once

#include <cstdint>
#include <span>

#include "harness/label.h"

namespace harness {

enum class ClaimKind : std::uint8_t { sound, unsound, vacuous };

/// The author's word on a variant.
struct Claim {
  ClaimKind kind;
  /// Names of windows (or of fault kinds, for hazards without one) through which it fails.
  std::span<const Label> hazards;
  /// The hazard shows even in `seeds/plain`: retention, over-correction.
  bool always = false;
  /// The same in a sentence.
  const char* words = "";
};

/// Returns what the claim says of one window alone: sound where it names no hazard there.
Claim claim_in(const Claim& claim, Label window);

/// True when the claim names this hazard.
bool names(const Claim& claim, Label hazard);

enum class Verdict : std::uint8_t {
  caught,   ///< Claimed unsound, and a fault was found.
  missed,   ///< Claimed unsound, and none was.
  held,     ///< Claimed sound, and no fault was found in runs that were not vacuous.
  refuted,  ///< Claimed sound (or vacuous), and a fault was found.
  vacuous,  ///< Every run was vacuous.
  /// Nothing was found, but in some config hardly anybody looked: never as claimed.
  too_few_runs,
};

/// The counts of a set of runs.
struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t vacuous_runs = 0;
  std::uint64_t faulty_runs = 0;
};

/// That nothing was found says something of a config from so many runs on: of those that were not
/// vacuous, or of all where the claim is that they are.
inline constexpr std::uint64_t kEnoughRuns = 30;

/// Runs in which the path under test really ran.
inline std::uint64_t exercised_runs(const Tally& tally) { return tally.runs - tally.vacuous_runs; }

/// Returns, of the poorest of these configs, the runs that count for the claim.
std::uint64_t least_runs(const Claim& claim, std::span<const Tally> configs);

/// Judges what the claim came to in these configs. A fault speaks for itself after one run; what
/// was *not* found takes kEnoughRuns in every config.
Verdict judge(const Claim& claim, std::span<const Tally> configs);
/// Judges by the counts of one config.
Verdict judge(const Claim& claim, const Tally& tally);

/// True when the verdict is the one that the claim announces.
bool as_claimed(const Claim& claim, Verdict verdict);

/// Returns the word for a claim.
Label to_label(ClaimKind kind);
/// Returns the word for a verdict.
Label to_label(Verdict verdict);

}  // namespace harness
