// SPDX-License-Identifier: Apache-2.0
// Freed handles: those of destroyed streams and events. Handles are addresses of memory that the
// driver frees, so a new object may get that of a destroyed one, and a program that keeps the old
// one as a key takes the two for one.
//
// Whether new objects get them is one choice of each process for each kind, made where the first
// object is created after the end of another. The default is fresh handles, by which a stale one is
// recognised. Scenarios always have fresh ones.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/core/ledger/ledger.h"
#include "harness/core/world.h"
#include "harness/driver/cuda/process.h"

namespace harness::devices {

/// Ownership: borrows the objects, which live until the run ends.
template <class T>
class FreedHandles {
 public:
  void begin() {
    freed_.clear();
    use_ = Use::undecided;
  }

  /// Notes the end of an object.
  void end(const Ledger& ledger, const T& object) {
    if (use_ != Use::fresh && !ledger.keeps(object.birth)) freed_.push_back(&object);
  }

  /// Returns the object whose handle a new one gets, the last that ended; null if it gets a fresh
  /// one.
  const T* pick(World& world) {
    if (freed_.empty() || ProcessWorld::of(world) == nullptr) return nullptr;
    const T& last = *freed_.back();
    if (last.process != world.scheduler.process()) return nullptr;
    if (use_ == Use::undecided) {
      const std::array<std::uint32_t, 2> names{
          0, static_cast<std::uint32_t>(world.ledger.life(last.birth).name) | 1};
      const bool is_freed = world.picker.pick_value(Site::reuse, names) != 0;
      use_ = is_freed ? Use::freed : Use::fresh;
    }
    if (use_ == Use::fresh) return freed_.clear(), nullptr;
    freed_.pop_back();
    return &last;
  }

 private:
  enum class Use : std::uint8_t { undecided, fresh, freed };

  std::vector<const T*> freed_;  ///< In the order in which they ended.
  Use use_ = Use::undecided;
};

}  // namespace harness::devices
