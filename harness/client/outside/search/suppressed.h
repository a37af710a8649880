// SPDX-License-Identifier: Apache-2.0
// Suppressed: the faults of a search that a suppression covers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/client/border/report.h"
#include "harness/client/outside/suppressions.h"

namespace harness::client {

/// Ownership: borrows the suppressions, and counts their runs in a vector of the search's result.
class Suppressed {
 public:
  Suppressed(const Suppressions& suppressions, std::vector<std::uint64_t>& runs)
      : suppressions_(suppressions), runs_(runs) {
    runs_.resize(suppressions.all().size());
  }

  /// Returns whether a fault is suppressed, and counts it. A rule for a file matches only after
  /// places were recorded.
  bool take(const ToldFault& fault) {
    const std::size_t none = suppressions_.all().size();
    const auto [by, is_new] = by_.try_emplace(fault.signature + fault.at, none);
    if (by->second == none) by->second = suppressions_.find(fault);
    if (by->second == none) return false;
    ++runs_[by->second];
    return true;
  }

 private:
  const Suppressions& suppressions_;
  std::vector<std::uint64_t>& runs_;
  std::map<std::string, std::size_t> by_;  ///< Index of the suppression, by the fault.
};

}  // namespace harness::client
