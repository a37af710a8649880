// SPDX-License-Identifier: Apache-2.0
// Rates: how often something happened, with what that says of how often it does; and the rule of
// Google Benchmark, to be compared with.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace harness::gate {

/// A count out of a total. Source: the score interval of Wilson (1927), 95 %.
struct Rate {
  std::uint64_t count = 0;
  std::uint64_t total = 0;

  /// Counts one that happened or did not.
  void add(bool happened) {
    count += happened;
    ++total;
  }
  /// Returns the share, 0 of nothing.
  double share() const;
  double low() const;   ///< Returns the lower end of the interval, 0 of nothing.
  double high() const;  ///< Returns the upper end of the interval, 1 of nothing.
};

/// Red where the interval is outside of what is promised (false alarms above 1 %, power below
/// 95 %); shown where it is within (at most 2 %, at least 90 %); else there are too few samples.
enum class Health : unsigned char { too_few, shown, red, reported };

/// Returns the words for it.
std::string_view name_of(Health health);

/// Judges how often a gate was wrong, or how often it found what was there.
Health health_of(const Rate& rate, bool is_false_alarm);

/// Returns the two-sided chance that two sets differ so much where they do not. Source: Mann and
/// Whitney (1947), normal with corrections for ties and continuity, as compare.py has it of SciPy
/// for more than 8 samples.
double mann_whitney(std::span<const double> first, std::span<const double> second);

/// Returns the same of their means. Source: Welch (1947), with the normal distribution for
/// Student's, as sets of 20 and more allow.
double welch(std::span<const double> first, std::span<const double> second);

}  // namespace harness::gate
