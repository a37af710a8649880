// SPDX-License-Identifier: Apache-2.0
#include "harness/core/intervention/intervention.h"

#include <algorithm>

namespace harness {

void Intervention::keep(BirthId id, void* thing, End end) {
  const auto same = [&](const Kept& kept) { return kept.id == id; };
  if (const auto known = std::find_if(kept_.begin(), kept_.end(), same); known != kept_.end()) {
    if (end != nullptr) *known = {id, thing, end};
    return;
  }
  kept_.push_back({id, thing, end});
}

bool Intervention::release(BirthId id) {
  const auto same = [&](const Kept& kept) { return kept.id == id; };
  const auto known = std::find_if(kept_.begin(), kept_.end(), same);
  const bool has_end = known != kept_.end() && known->end != nullptr;
  released_.push_back(id);  // Recorded first, because its end may release it again, which then has
                            // no effect.
  if (has_end) std::exchange(known->end, nullptr)(known->thing);
  return has_end;
}

bool Intervention::has_released(BirthId id) const {
  return std::find(released_.begin(), released_.end(), id) != released_.end();
}

bool Intervention::keeps_storage_of(BirthId id) const {
  return std::any_of(kept_.begin(), kept_.end(),
                     [&](const Kept& kept) { return kept.id == id && kept.thing != nullptr; });
}

bool Intervention::serves(BirthId id, Label use, Tick now) {
  const auto same = [&](const Kept& kept) { return kept.id == id; };
  const auto known = [&](const Served& one) { return one.id == id && one.use == use; };
  if (!is_for(use) || std::none_of(kept_.begin(), kept_.end(), same)) return false;
  ++served_count_;
  if (std::none_of(served_.begin(), served_.end(), known)) served_.push_back({id, use, now});
  return true;
}

const std::uint64_t* Intervention::word(const void* word, std::uint64_t generation, Label use) {
  const std::uint64_t* found = is_for(use) ? words_.find(word, generation) : nullptr;
  if (found != nullptr) ++served_count_;
  return found;
}

// Ending an object may end others, which are not kept any more.
void Intervention::end_all() {
  is_over_ = true;
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (kept_[i].end != nullptr) std::exchange(kept_[i].end, nullptr)(kept_[i].thing);
}

}  // namespace harness
