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

enum class Verdict : std::uint8_t {
  caught,   ///< Claimed unsound, and a fault was found.
  missed,   ///< Claimed unsound, and none was.
  held,     ///< Claimed sound, and no fault was found in runs that were not vacuous.
  refuted,  ///< Claimed sound (or vacuous), and a fault was found.
  vacuous,  ///< Every run was vacuous.
};

/// The counts of a set of runs.
struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t vacuous_runs = 0;
  std::uint64_t faulty_runs = 0;
};

Verdict judge(const Claim& claim, const Tally& tally);

/// True when the verdict is the one that the claim announces.
bool as_claimed(const Claim& claim, Verdict verdict);

Label to_label(ClaimKind kind);
Label to_label(Verdict verdict);

}  // namespace harness
