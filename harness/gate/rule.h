// SPDX-License-Identifier: Apache-2.0
// Rule: when a benchmark fails, passes, or needs more rounds.
//
// Slower: the 99 % interval is above +0.5 %, also after the correction for all benchmarks of the
// suite. Faster: the same below -0.5 %. Pass: the interval is below +3 %. Otherwise more rounds are
// measured. After the last look it is undecided, or too noisy if the interval is wider than the
// difference that it should detect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/gate/estimate.h"

namespace harness::gate {

enum class Verdict : unsigned char { pass, faster, slower, undecided, too_noisy, added, gone };

/// Returns the verdict's name: "too noisy", "new" of what was added.
std::string_view name_of(Verdict verdict);

struct Rule {
  double slower_by = 0.005;  ///< Fails where the interval is above this.
  double allowed = 0.03;     ///< Passes where the interval is below this.
  double confidence = 0.99;  ///< Probability outside the interval, both tails together.
  std::vector<std::size_t> looks{20, 40, 80, 160};  ///< Numbers of rounds at which it is judged.
  std::size_t confirmations = 1;                    ///< How often a fail is measured again.
  std::uint64_t seed = 1;
  bool curtails = true;  ///< Gives up what more rounds can hardly decide (futility.h).

  bool operator==(const Rule&) const = default;

  /// Returns the most rounds that a comparison takes, those that confirm included.
  std::size_t most_rounds() const { return looks.back() * (1 + confirmations); }
  /// Returns the probability that the interval leaves out on either side.
  double tail() const { return (1 - confidence) / 2; }
  /// Returns the terms of an estimate in a suite of `suite_size`: enough resamples to detect a
  /// finding that stands among this many benchmarks, up to 2000.
  Terms terms(std::size_t rounds, std::size_t suite_size) const;
};

/// Judges the estimates of a suite together. Undecided are those that need more rounds.
std::vector<Verdict> judge(std::span<const Estimate> estimates, const Rule& rule);

/// Returns the verdict of an undecided benchmark that gets no more rounds.
Verdict last_verdict(const Estimate& estimate, const Rule& rule);

}  // namespace harness::gate
