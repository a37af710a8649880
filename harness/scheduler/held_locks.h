// SPDX-License-Identifier: Apache-2.0
// HeldLocks: the locks that a task holds, in the order in which it took them.
#pragma once

#include <array>
#include <cstddef>

#include "harness/label.h"
#include "harness/pick.h"

namespace harness {

/// A lock of the program's or of the driver's, by its resource, and its word in stories.
struct Lock {
  Resource resource = 0;
  Label label;
};

namespace scheduling {

/// Small: further locks are not kept, and no circle with them is reported.
class HeldLocks {
 public:
  void clear() { count_ = 0; }              ///< Forgets all.
  bool any() const { return count_ != 0; }  ///< Returns whether there is one.
  std::size_t count() const { return count_; }
  void add(const Lock& lock) {  // Keeps one more.
    if (count_ < kLimit) locks_[count_++] = lock;
  }
  /// Forgets the one that was taken last of those with this resource; usually the last of all.
  void remove(Resource lock) {
    if (count_ != 0 && locks_[count_ - 1].resource == lock) [[likely]] {
      --count_;
      return;
    }
    std::size_t i = count_;
    while (i > 0 && locks_[i - 1].resource != lock) --i;
    if (i == 0) return;
    for (--count_; i <= count_; ++i) locks_[i - 1] = locks_[i];
  }
  const Lock* begin() const { return locks_.data(); }         ///< Iterates over them.
  const Lock* end() const { return locks_.data() + count_; }  ///< Ends it.

 private:
  static constexpr std::size_t kLimit = 8;

  std::size_t count_ = 0;
  std::array<Lock, kLimit> locks_;
};

}  // namespace scheduling
}  // namespace harness
