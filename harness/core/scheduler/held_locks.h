// SPDX-License-Identifier: Apache-2.0
// HeldLocks: the locks that a task holds, in the order in which it took them.
#pragma once

#include <array>
#include <cstddef>

#include "harness/base/label.h"
#include "harness/core/pick/pick.h"

namespace harness {

/// A lock of the program or the driver: its resource, and its name in stories.
struct Lock {
  Resource resource = 0;
  Label label;
};

namespace scheduling {

/// A small set. Locks above its limit are not kept, and no cycle with them is reported.
class HeldLocks {
 public:
  void clear() { count_ = 0; }              ///< Forgets all locks.
  bool any() const { return count_ != 0; }  ///< Returns whether there is any lock.
  std::size_t count() const { return count_; }
  void add(const Lock& lock) {  // Adds a lock.
    if (count_ < kLimit) locks_[count_++] = lock;
  }
  /// Removes the most recently taken lock with this resource, usually the last one.
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
  const Lock* begin() const { return locks_.data(); }         ///< Iterates over the locks.
  const Lock* end() const { return locks_.data() + count_; }  ///< Ends the iteration.

 private:
  static constexpr std::size_t kLimit = 8;

  std::size_t count_ = 0;
  std::array<Lock, kLimit> locks_;
};

}  // namespace scheduling
}  // namespace harness
