// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/lowering.h"

namespace targets::managed_dict {

int CountPlan::net() const {
  int sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += steps[i] == Count::take ? 1 : -1;
  return sum;
}

CountPlan insert_counts(const SlotLoad& load, Way way) {
  CountPlan plan;
  std::uint32_t held = 0;
  for (std::uint32_t i = 0; i < load.loads; ++i) {
    held += load.owned;
    for (std::uint32_t taken = 0; taken < load.promotions; ++taken) plan.add(Count::take);
    held += load.promotions;
  }
  if (way == Way::exit && !load.exit_gives_up) return plan;
  for (; held > 0; --held) plan.add(Count::give_up);
  return plan;
}

}  // namespace targets::managed_dict
