// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/contents.h"

#include <algorithm>

namespace scenarios::managed_dict {

using targets::managed_dict::Attribute;
using targets::managed_dict::Item;

namespace {
constexpr std::int64_t kTrue = 1;
constexpr std::int64_t kDtype = 3;
}  // namespace

const Contents::Entry* Contents::find(Attribute attribute) const {
  for (std::uint32_t i = 0; i < count_; ++i)
    if (entries_[i].attribute == attribute) return &entries_[i];
  return nullptr;
}

// A key keeps its position when its value changes.
void Contents::set(Attribute attribute, Kept kept) {
  for (std::uint32_t i = 0; i < count_; ++i)
    if (entries_[i].attribute == attribute) {
      entries_[i] = {attribute, kept, 0};
      return;
    }
  entries_[count_++] = {attribute, kept, 0};
}

void Contents::erase(Attribute attribute) {
  const auto end = entries_.begin() + count_;
  const auto gone = std::remove_if(
      entries_.begin(), end, [&](const Entry& entry) { return entry.attribute == attribute; });
  count_ = static_cast<std::uint32_t>(gone - entries_.begin());
}

std::uint32_t Contents::count(Kept kept) const {
  return static_cast<std::uint32_t>(
      std::count_if(entries_.begin(), entries_.begin() + count_,
                    [&](const Entry& entry) { return entry.kept == kept; }));
}

bool Contents::explains(std::span<const Item> items, std::int64_t& newest) {
  if (items.size() != count_) return false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& entry = entries_[i];
    if (entry.kept == Kept::number && entry.number == 0) {
      if (items[i].value <= newest) return false;
      entry.number = newest = items[i].value;
    }
    const std::int64_t value = entry.kept == Kept::number    ? entry.number
                               : entry.kept == Kept::boolean ? kTrue
                               : entry.kept == Kept::shared  ? kDtype
                                                             : targets::managed_dict::kAnInstance;
    if (items[i] != Item{entry.attribute, value}) return false;
  }
  return true;
}

}  // namespace scenarios::managed_dict
