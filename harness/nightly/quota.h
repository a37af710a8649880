// SPDX-License-Identifier: Apache-2.0
// Quota: keeps the folder of a history within a size, by dropping first what can be made again.
//
// It drops in this order, each kind oldest first, until the rest fits:
// 1. pages in findings/, which `afterlife replay --html` writes again;
// 2. reproducers in findings/, which `afterlife nightly show` prints;
// 3. at last, reproducers in the database, of findings that are closed: fixed, or ignored for good.
// Reproducers of open findings stay, and so does all that the last night saw; sums, sightings and
// marks of every night stay as well. A finding that shows again has its reproducer again.
// Errors: std::runtime_error with one line; what was dropped is dropped, and can be gone on with.
#pragma once

#include <cstdint>
#include <string>

#include "harness/nightly/history.h"

namespace harness::nightly {

/// The size that a history may have where no one says another, in bytes.
inline constexpr std::uint64_t kDefaultQuota = std::uint64_t{2} << 30;

struct Dropped {
  std::size_t files = 0;         ///< In findings/.
  std::size_t reproducers = 0;   ///< In the database.
  std::uint64_t bytes_left = 0;  ///< Size of the history after all.
};

/// Drops from the history in `folder` what is over `limit` bytes; 0 = no limit.
Dropped keep_within(History& history, const std::string& folder, std::uint64_t limit);

}  // namespace harness::nightly
