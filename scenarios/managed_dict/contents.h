// SPDX-License-Identifier: Apache-2.0
// Contents: what an instance's attributes hold, in the order of vars(), as Python says.
#pragma once

#include <span>

#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {

/// The object that an attribute refers to.
enum class Kept : std::uint8_t { number, boolean, shared, itself, guard };

/// Copyable.
class Contents {
 public:
  struct Entry {
    targets::managed_dict::Attribute attribute;
    Kept kept;
    /// Life of a number; 0 until it was seen: which one is new, the path decides.
    std::int64_t number;
  };

  const Entry* find(targets::managed_dict::Attribute attribute) const;
  void set(targets::managed_dict::Attribute attribute, Kept kept);
  void erase(targets::managed_dict::Attribute attribute);
  void clear() { count_ = 0; }
  std::uint32_t count() const { return count_; }
  std::uint32_t count(Kept kept) const;

  /// Whether a reader sees just this. A number that is seen for the first time is learned: it is
  /// newer than `newest`, which becomes it.
  bool explains(std::span<const targets::managed_dict::Item> items, std::int64_t& newest);

 private:
  std::uint32_t count_ = 0;
  std::array<Entry, targets::managed_dict::kAttributeLimit> entries_;
};

}  // namespace scenarios::managed_dict
