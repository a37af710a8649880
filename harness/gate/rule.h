// SPDX-License-Identifier: Apache-2.0
// Rule: decides whether a benchmark fails, passes, or needs more rounds.
//
// Slower: the 99 % interval is above +0.5 %, also after the correction for all benchmarks of the
// suite. Faster: likewise below -0.5 %. Pass: the interval is below +3 %. Otherwise more rounds are
// measured. After the last look the benchmark is undecided, or too noisy if the interval is wider
// than the difference that it should detect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/gate/estimate.h"

namespace harness::gate {

enum class Verdict : unsigned char { pass, faster, slower, undecided, too_noisy, added, gone };

/// Returns the verdict's name: "too noisy"; "new" for `added`.
std::string_view name_of(Verdict verdict);

struct Rule {
  double slower_by = 0.005;  ///< A benchmark fails if its interval is above this.
  double allowed = 0.03;     ///< It passes if its interval is below this.
  double confidence = 0.99;  ///< Confidence level of the interval.
  std::vector<std::size_t> looks{20, 40, 80, 160};  ///< Numbers of rounds at which it is judged.
  std::size_t confirmations = 1;                    ///< Further measurements to confirm a fail.
  std::uint64_t seed = 1;
  bool curtails = true;  ///< Gives up benchmarks that more rounds can hardly decide (futility.h).

  bool operator==(const Rule&) const = default;

  /// Returns the largest number of rounds of a comparison, including confirmations.
  std::size_t most_rounds() const { return looks.back() * (1 + confirmations); }
  /// Returns the probability on each side of the interval.
  double tail() const { return (1 - confidence) / 2; }
  /// Returns the parameters of an estimate in a suite of `suite_size` benchmarks: enough resamples
  /// for a significant finding among them, up to 2000 benchmarks.
  Terms terms(std::size_t rounds, std::size_t suite_size) const;
};

/// Judges the estimates of a suite together. `undecided` means that more rounds are needed.
std::vector<Verdict> judge(std::span<const Estimate> estimates, const Rule& rule);

/// Returns the verdict of an undecided benchmark that gets no more rounds.
Verdict last_verdict(const Estimate& estimate, const Rule& rule);

}  // namespace harness::gate
