// Rates: how often something happened, with what that says of how often it does; and the rule of
// Google Benchmark, to be compared with.
#pragma once

#include <cstdint>
#include <span>

namespace harness::gate {

/// So many of so many. Source: the score interval of Wilson (1927), 95 %.
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

/// Returns the two-sided chance that two sets differ so much where they do not. Source: Mann and
/// Whitney (1947), normal with corrections for ties and continuity, as compare.py has it of SciPy
/// for more than 8 samples.
double mann_whitney(std::span<const double> first, std::span<const double> second);

}  // namespace harness::gate
