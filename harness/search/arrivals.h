// SPDX-License-Identifier: Apache-2.0
// ArrivalCounts: how many runs of a search reached each window, by each way in, and their results
// there. These are the rows of a variant's table.
#pragma once

#include <algorithm>
#include <vector>

#include "harness/search/search.h"

namespace harness::searching {

/// Ownership: borrows the scenario.
class ArrivalCounts {
 public:
  ArrivalCounts() = default;
  /// `window` is the only one that counts; -1 = all do.
  ArrivalCounts(const Scenario& scenario, int window);

  /// Counts a run.
  void take_in(const Outcome& outcome);
  /// Returns a row for each window and way in, then a row for each kind of fault without a window
  /// that the claim names or that was found.
  std::vector<StandingRow> rows(const Claim& claim) const;

 private:
  /// The faults of one run: their windows, for each way in, and the kinds of those without a
  /// window.
  struct Met {
    std::array<WindowSet, kWayLimit> windows{};
    IndexSet<FaultKind> kinds;
  };
  std::size_t way_count() const { return std::max<std::size_t>(1, scenario_->ways.size()); }
  /// Returns the number of ways in to the window.
  std::size_t ways_of(std::size_t window) const {
    return scenario_->windows[window].has_one_way ? 1 : way_count();
  }
  bool counts(std::size_t window) const {
    return window_ < 0 || window == static_cast<std::size_t>(window_);
  }
  Arrivals& at(std::size_t window, std::size_t way) { return windows_[window * way_count() + way]; }
  const Arrivals& at(std::size_t window, std::size_t way) const {
    return windows_[window * way_count() + way];
  }
  /// Returns the windows of `by` (a set for each way in) that are counted under `way`.
  WindowSet under(std::size_t way, const std::array<WindowSet, kWayLimit>& by) const {
    const WindowSet own = way_count() > 1 ? by[way] - one_way_ : by[way];
    return way == 0 ? own | ((by[0] | by[1]) & one_way_) : own;
  }
  Met take_in_faults(const Outcome& outcome);
  void take_in_windows(const Outcome& outcome, const Met& met, std::size_t way);

  const Scenario* scenario_ = nullptr;
  int window_ = -1;
  WindowSet one_way_;  ///< The windows with one way in.
  std::uint64_t exercised_runs_ = 0;
  std::vector<Arrivals> windows_;  ///< For each window, by way in.
  std::vector<Arrivals> kinds_;    ///< For each kind of fault, if it has no window.
};

}  // namespace harness::searching
