// How many runs a verdict takes, and what it says of several configs together.
#pragma once

#include "harness/verdict.h"

namespace harness {

/// Nothing was found, but in some config hardly anybody looked: no verdict, and never as claimed.
inline constexpr auto kTooFewRuns = static_cast<Verdict>(raw(Verdict::vacuous) + 1);

/// That nothing was found says something of a config from so many runs on: of those that were not
/// vacuous, or of all where the claim is that they are.
inline constexpr std::uint64_t kEnoughRuns = 30;

/// Runs in which the path under test really ran.
inline std::uint64_t exercised_runs(const Tally& tally) { return tally.runs - tally.vacuous_runs; }

/// What the claim came to in these configs. A fault speaks for itself after one run; what was *not*
/// found takes kEnoughRuns in every config.
Verdict judge(const Claim& claim, std::span<const Tally> configs);

/// Of the poorest of these configs: the runs that count for the claim.
std::uint64_t least_runs(const Claim& claim, std::span<const Tally> configs);

/// What the claim says of one window alone: sound where it names no hazard there.
Claim claim_in(const Claim& claim, Label window);

/// True when the claim names this hazard.
bool names(const Claim& claim, Label hazard);

}  // namespace harness
