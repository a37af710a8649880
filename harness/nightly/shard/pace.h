// SPDX-License-Identifier: Apache-2.0
// Pace: divides the time of a shard among its cells.
//
// Sound variants have one account and canaries have another, so neither can use the time of the
// other. The cells of an account share the remaining time in proportion to their plans, so later
// cells compensate for one that takes too long. A canary reserves a part of its turn for its
// findings (replays, repairs); a sound variant searches for the whole turn. A budget in runs is not
// changed. Units: seconds.
#pragma once

#include "harness/nightly/plan.h"

namespace harness::nightly {

class Pace {
 public:
  /// The fraction of a shard's time for cells: merging and the report follow.
  static constexpr double kCellsPart = 0.95;
  /// The fraction of a canary's turn for its search.
  static constexpr double kCanarySearch = 0.6;
  /// A sound variant with findings may exceed its turn by this factor, to replay and sort them.
  static constexpr double kSoundMost = 1.1;
  /// The least fraction of its plan that a turn has: each cell is searched.
  static constexpr double kLeastShare = 0.05;

  /// The time of a cell.
  struct Turn {
    Cell cell;           ///< With the time limit of its search.
    double seconds = 0;  ///< Limit for all work on the cell; 0 = none.
  };

  /// `scale`: actual seconds of this shard for each planned second.
  explicit Pace(double scale = 1) : scale_(scale) {}

  /// Opens the accounts: call it for each cell before the first turn. A cell that is left out
  /// (because its build is missing) leaves its time to others of its account.
  void expect(const Cell& cell, bool is_left_out = false);
  /// Returns the turn of the next cell.
  Turn next(const Cell& cell);
  /// Subtracts the time of a cell's turn from its account.
  void took(const Cell& cell, double seconds);

 private:
  struct Account {
    double seconds = 0;       ///< Remaining time.
    double planned_left = 0;  ///< Planned time of the remaining cells.
  };

  Account& account_of(const Cell& cell) { return is_sound(cell) ? sound_ : others_; }
  static double planned(const Cell& cell) {
    return cell.budget.seconds + cell.tapes_budget.seconds;
  }

  double scale_;
  Account sound_, others_;
};

}  // namespace harness::nightly
