#include "harness/nightly/shard/pace.h"

#include <algorithm>

namespace harness::nightly {

Cell Pace::next(const Cell& cell, double spent) {
  const double planned = seconds_of(cell);
  if (planned <= 0 || !is_sound(cell)) {
    planned_begun_ += planned;
    return cell;
  }
  planned_left_ = std::max(planned_left_, planned);  // At least this one is to come.
  const double time_left = planned_begun_ + planned_left_ - spent;
  const double share = std::clamp(time_left / planned_left_, kLeastShare, 1.0);
  planned_left_ -= planned;
  planned_begun_ += planned;
  Cell hurried = cell;
  hurried.budget.seconds *= share;
  hurried.tapes_budget.seconds *= share;
  return hurried;
}

}  // namespace harness::nightly
