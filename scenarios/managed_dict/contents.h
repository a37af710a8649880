// SPDX-License-Identifier: Apache-2.0
// Contents: an instance's attributes, in the order of vars(), by the rules of Python.
#pragma once

#include <span>

#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {

/// Kind of object that an attribute refers to.
enum class Kept : std::uint8_t { number, boolean, shared, itself, guard };

/// Copyable.
class Contents {
 public:
  struct Entry {
    targets::managed_dict::Attribute attribute;
    Kept kept;
    /// Value of a number; 0 until it was read: the path chooses the values of new ones.
    std::int64_t number;
  };

  const Entry* find(targets::managed_dict::Attribute attribute) const;
  void set(targets::managed_dict::Attribute attribute, Kept kept);
  void erase(targets::managed_dict::Attribute attribute);
  void clear() { count_ = 0; }
  std::uint32_t count() const { return count_; }
  std::uint32_t count(Kept kept) const;

  /// Returns whether `items` match. A number that is read for the first time must be newer than
  /// `newest`, which is set to it.
  bool explains(std::span<const targets::managed_dict::Item> items, std::int64_t& newest);

 private:
  std::uint32_t count_ = 0;
  std::array<Entry, targets::managed_dict::kAttributeLimit> entries_;
};

}  // namespace scenarios::managed_dict
