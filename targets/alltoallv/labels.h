// SPDX-License-Identifier: Apache-2.0
// Labels: a static label for each number in a range. A label cannot be formatted at run time, so
// all labels of a kind are built once and looked up by number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "targets/alltoallv/facts.h"

namespace targets::alltoallv {

/// Returns the suffix of a slot's label: the team, except for the first one.
constexpr const char* team_of_slot(std::uint32_t slot_id) {
  return slot_id < kSlotLimit ? "" : " of team 2";
}

/// Returns the name of a slot, such as "slot 1" or "slot 1 of team 2".
inline std::string name_of_slot(std::uint32_t slot_id) {
  return "slot " + std::to_string(slot_id % kSlotLimit) + team_of_slot(slot_id);
}

/// Lifetime: lives as long as the process, because its labels outlive every run.
class Labels {
 public:
  /// Builds the labels `words(0)` to `words(count - 1)`.
  template <class Words>
  Labels(std::uint32_t count, Words words) {
    texts_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) texts_.push_back(words(i));
  }

  /// Returns the label of a number, or the last one if the number is larger.
  harness::Label operator[](std::uint64_t number) const {
    const std::size_t last = texts_.size() - 1;
    return harness::Label::of(texts_[std::min<std::size_t>(number, last)].c_str());
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace targets::alltoallv
