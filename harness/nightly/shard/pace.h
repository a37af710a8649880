// SPDX-License-Identifier: Apache-2.0
// Pace: shares out the time of a shard among its cells.
//
// Sound variants have one account and canaries have another: neither can spend the time of the
// other. The cells of an account share what is left of it in proportion to their plans, so that one
// that takes too long is made up for by those that come after it. A canary keeps a part of its turn
// for its findings (replays, trials of repairs); a sound variant searches in all of it.
// A budget in runs is left as it is. Units: seconds.
#pragma once

#include "harness/nightly/plan.h"

namespace harness::nightly {

class Pace {
 public:
  /// The part of its time that a shard spends on cells: merging and the report come after it.
  static constexpr double kCellsPart = 0.95;
  /// The part of a canary's turn that its search has.
  static constexpr double kCanarySearch = 0.6;
  /// A sound variant with findings may take this many times its turn, to replay and sort them.
  static constexpr double kSoundMost = 1.1;
  /// No turn is shorter than this part of the plan: each cell is searched.
  static constexpr double kLeastShare = 0.05;

  /// The time of a cell.
  struct Turn {
    Cell cell;           ///< With the seconds of its search.
    double seconds = 0;  ///< For all that is done for it; 0 = no limit.
  };

  /// `scale` is the result of the plan's seconds in this shard.
  explicit Pace(double scale = 1) : scale_(scale) {}

  /// Opens the accounts: called for each cell before the first turn. One that is left out (its
  /// build is not there) gives its time to the others of its account.
  void expect(const Cell& cell, bool is_left_out = false);
  /// Returns the turn of the cell that comes next.
  Turn next(const Cell& cell);
  /// Takes what a cell's turn took from its account.
  void took(const Cell& cell, double seconds);

 private:
  struct Account {
    double seconds = 0;       ///< Those that are left.
    double planned_left = 0;  ///< By the plan, of the cells that are still to come.
  };

  Account& account_of(const Cell& cell) { return is_sound(cell) ? sound_ : others_; }
  static double planned(const Cell& cell) {
    return cell.budget.seconds + cell.tapes_budget.seconds;
  }

  double scale_;
  Account sound_, others_;
};

}  // namespace harness::nightly
