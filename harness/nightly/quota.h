// SPDX-License-Identifier: Apache-2.0
// Quota: limits the size of a history's folder, by dropping data that can be recreated first.
//
// It drops these in order, the oldest of each kind first, until the limit holds:
// 1. pages in findings/, which `afterlife replay --html` writes again;
// 2. reproducers in findings/, which `afterlife nightly show` prints;
// 3. reproducers in the database, of closed findings: fixed, or permanently ignored.
// Reproducers of open findings are kept, and all that the last night saw; sums, sightings and marks
// of all nights are kept, too. A dropped reproducer is stored again if its finding shows again.
// Errors: std::runtime_error with one line. Dropping can then be continued.
#pragma once

#include <cstdint>
#include <string>

#include "harness/nightly/history.h"

namespace harness::nightly {

/// Default size limit of a history in bytes.
inline constexpr std::uint64_t kDefaultQuota = std::uint64_t{2} << 30;

struct Dropped {
  std::size_t files = 0;         ///< Number of deleted files in findings/.
  std::size_t reproducers = 0;   ///< Number of reproducers dropped from the database.
  std::uint64_t bytes_left = 0;  ///< Size of the history afterwards.
};

/// Drops data from the history in `folder` until its size is at most `limit` bytes; 0 = no limit.
Dropped keep_within(History& history, const std::string& folder, std::uint64_t limit);

}  // namespace harness::nightly
