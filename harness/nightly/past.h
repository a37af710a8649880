// Past: each night's sums, side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// One night, or all of one number together.
struct PastNight {
  std::uint64_t number = 0;
  std::uint64_t runs = 0;
  double seconds = 0;                 ///< Time of running.
  std::uint64_t new_findings = 0;     ///< Seen for the first time.
  std::uint64_t missed_canaries = 0;  ///< Without one run that failed as claimed.
};

/// Returns the nights up to this number, by number.
std::vector<PastNight> past_nights(Database& database, std::uint64_t number);

}  // namespace harness::nightly
