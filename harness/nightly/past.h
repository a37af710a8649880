// SPDX-License-Identifier: Apache-2.0
// Past: the sums of each earlier night.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// One night, or all nights with the same number together.
struct PastNight {
  std::uint64_t number = 0;
  std::uint64_t runs = 0;
  double seconds = 0;                 ///< Time of running.
  std::uint64_t new_findings = 0;     ///< Seen for the first time.
  std::uint64_t missed_canaries = 0;  ///< See Night::missed_canaries().
  std::int64_t ended_at = 0;  ///< End of its last shard, in seconds since 1970; 0 if unknown.
};

/// Returns the nights up to this number, by number.
std::vector<PastNight> past_nights(Database& database, std::uint64_t number);

/// Returns how many nights are missing between the last one and the one before, if there should be
/// one every `every_seconds` (0 = irregular). Returns 0 if one of the two times is unknown, or the
/// clock was set back.
std::uint64_t missing_nights(const std::vector<PastNight>& past, double every_seconds);

}  // namespace harness::nightly
