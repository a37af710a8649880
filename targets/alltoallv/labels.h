// SPDX-License-Identifier: Apache-2.0
// Labels: a label for each of a range of numbers. Labels are static and hold no values, so all of a
// kind are written down once, and finding one is a look-up in a table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "targets/alltoallv/facts.h"

namespace targets::alltoallv {

/// Returns the suffix of a slot's label: its team, unless that is the first.
constexpr const char* team_of_slot(std::uint32_t slot_id) {
  return slot_id < kSlotLimit ? "" : " of team 2";
}

/// Returns how a slot is called: "slot 1", "slot 1 of team 2".
inline std::string name_of_slot(std::uint32_t slot_id) {
  return "slot " + std::to_string(slot_id % kSlotLimit) + team_of_slot(slot_id);
}

/// Lifetime: the process's: its labels outlive every run.
class Labels {
 public:
  /// Holds what `words` makes of 0, 1, ... `count` - 1.
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
