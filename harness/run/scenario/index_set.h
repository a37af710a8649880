// SPDX-License-Identifier: Apache-2.0
// IndexSet: a set of windows or ops of a scenario, by their indices.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "harness/base/base.h"

namespace harness {

/// Sets of different things are different types. Errors: an index from kLimit on is a failed check.
template <class Thing>
class IndexSet {
 public:
  static constexpr std::size_t kLimit = 64;

  /// Visits the indices in ascending order.
  class Iterator {
   public:
    explicit constexpr Iterator(std::uint64_t rest) : rest_(rest) {}
    constexpr std::size_t operator*() const {
      return static_cast<std::size_t>(std::countr_zero(rest_));
    }
    constexpr Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    constexpr bool operator==(std::default_sentinel_t) const { return rest_ == 0; }

   private:
    std::uint64_t rest_;
  };

  constexpr IndexSet() = default;

  /// Adds an index.
  void insert(std::size_t index) {
    HARNESS_CHECK(index < kLimit, "a scenario has at most 64 windows, and as many ops");
    bits_ |= std::uint64_t{1} << index;
  }
  /// Returns whether an index is in the set.
  constexpr bool contains(std::size_t index) const {
    return index < kLimit && (bits_ >> index & 1) != 0;
  }
  /// Returns whether no index is in the set.
  constexpr bool empty() const { return bits_ == 0; }

  /// Returns the begin of the range of the indices.
  constexpr Iterator begin() const { return Iterator(bits_); }
  /// Returns the end of the range.
  constexpr std::default_sentinel_t end() const { return {}; }

  constexpr IndexSet& operator|=(IndexSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr IndexSet operator|(IndexSet left, IndexSet right) { return left |= right; }
  friend constexpr IndexSet operator&(IndexSet left, IndexSet right) {
    left.bits_ &= right.bits_;
    return left;
  }
  /// Returns the indices that are in the left set only.
  friend constexpr IndexSet operator-(IndexSet left, IndexSet right) {
    left.bits_ &= ~right.bits_;
    return left;
  }
  bool operator==(const IndexSet&) const = default;

  /// Returns a bit per index, for a scenario that keeps masks of its ops.
  constexpr operator std::uint64_t() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

using WindowSet = IndexSet<struct WindowTag>;
using OpSet = IndexSet<struct OpTag>;

}  // namespace harness
