// SPDX-License-Identifier: Apache-2.0
// Rates: observed rates of events with confidence intervals; and the rule of Google Benchmark, for
// comparison.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace harness::gate {

/// A count out of a total. Source: the score interval of Wilson (1927), 95 %.
struct Rate {
  std::uint64_t count = 0;
  std::uint64_t total = 0;

  /// Counts an event that happened or did not.
  void add(bool happened) {
    count += happened;
    ++total;
  }
  /// Returns the observed rate; 0 for a total of 0.
  double share() const;
  double low() const;   ///< Returns the lower bound of the interval; 0 for a total of 0.
  double high() const;  ///< Returns the upper bound of the interval; 1 for a total of 0.
};

/// Red if the interval is outside of the promised range (false alarms above 1 %, power below 95 %);
/// shown if it is inside (at most 2 %, at least 90 %); else there are too few samples.
enum class Health : unsigned char { too_few, shown, red, reported };

/// Returns the state in words.
std::string_view name_of(Health health);

/// Judges a rate of false alarms or of detections.
Health health_of(const Rate& rate, bool is_false_alarm);

/// Returns the two-sided p-value for a difference between two sets. Source: Mann and Whitney
/// (1947), the normal approximation with corrections for ties and continuity, as compare.py uses
/// SciPy's for more than 8 samples.
double mann_whitney(std::span<const double> first, std::span<const double> second);

/// Returns the p-value for a difference between their means. Source: Welch (1947), with the normal
/// distribution instead of Student's, which is adequate for sets of at least 20.
double welch(std::span<const double> first, std::span<const double> second);

}  // namespace harness::gate
