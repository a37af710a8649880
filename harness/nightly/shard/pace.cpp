// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/shard/pace.h"

#include <algorithm>

namespace harness::nightly {

void Pace::expect(const Cell& cell, bool is_left_out) {
  Account& account = account_of(cell);
  account.seconds += kCellsPart * scale_ * planned(cell);
  if (!is_left_out) account.planned_left += planned(cell);
}

Pace::Turn Pace::next(const Cell& cell) {
  const double plan = planned(cell);
  if (plan <= 0) return {cell, 0};
  Account& account = account_of(cell);
  account.planned_left = std::max(account.planned_left, plan);  // At least this cell is left.
  const double share = account.seconds * plan / account.planned_left;
  account.planned_left -= plan;
  const double seconds = std::max(share, kLeastShare * kCellsPart * scale_ * plan);
  const double search =
      is_sound(cell) ? seconds : kCanarySearch * std::min(seconds, kCellsPart * scale_ * plan);
  Turn turn{cell, is_sound(cell) ? kSoundMost * seconds : seconds};
  turn.cell.budget.seconds *= search / plan;
  turn.cell.tapes_budget.seconds *= search / plan;
  return turn;
}

void Pace::took(const Cell& cell, double seconds) {
  if (planned(cell) > 0) account_of(cell).seconds -= seconds;
}

}  // namespace harness::nightly
