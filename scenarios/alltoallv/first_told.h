// SPDX-License-Identifier: Apache-2.0
// FirstTold: the window of the first fault of a run that has a window by itself. The search is
// incremental, because a broken run may have very many faults.
#pragma once

#include <functional>
#include <vector>

#include "harness/run/scenario/scenario.h"

namespace scenarios::alltoallv {

/// Lifetime: one run. More faults may be appended between calls.
class FirstTold {
 public:
  /// Returns the window of the first of `faults` for which `tell(fault)` returns one, if `fault`
  /// comes after it or is not in the list; else -1.
  template <class Tell>
  int before(const harness::Fault& fault, const std::vector<harness::Fault>& faults, Tell tell) {
    for (; window_ < 0 && seen_ < faults.size(); ++seen_)
      if (const auto window = tell(faults[seen_])) window_ = harness::raw(*window);
    if (window_ < 0) return -1;
    const harness::Fault& first = faults[seen_ - 1];
    return std::less<>()(&first, &fault) || std::less<>()(&fault, faults.data()) ? window_ : -1;
  }

 private:
  std::size_t seen_ = 0;  ///< Number of faults examined; the last of them determines the window.
  int window_ = -1;
};

}  // namespace scenarios::alltoallv
