// Pace: keeps a shard to the time that it was given.
//
// A cell's seconds are those of its search. Replays, trials of repairs and what else comes with its
// findings take time of their own, so that a shard falls behind; the cells of sound variants that
// are still to come have that much less, each in proportion. Canaries have what was planned, or one
// would be missed for want of time; a budget in runs is left as it is, too.
#pragma once

#include "harness/nightly/plan.h"

namespace harness::nightly {

class Pace {
 public:
  /// No cell loses more than the rest of this: each is to be searched.
  static constexpr double kLeastShare = 0.25;

  /// One of these cells is to come. All are told before the first is searched.
  void expect(const Cell& cell) {
    if (is_sound(cell)) planned_left_ += seconds_of(cell);
  }

  /// Returns the next of them as it is to be searched, `spent` seconds after the first began.
  Cell next(const Cell& cell, double spent);

 private:
  static double seconds_of(const Cell& cell) {
    return cell.budget.seconds + cell.tapes_budget.seconds;
  }

  double planned_left_ = 0;   ///< Seconds of the cells that may lose some, and are still to come.
  double planned_begun_ = 0;  ///< Seconds of all that were begun, as they were planned.
};

}  // namespace harness::nightly
