// SPDX-License-Identifier: Apache-2.0
// RecycledHandles: objects whose handle values are reused, like those of CUDA graphs, which are
// addresses of memory that the driver frees. A stale handle may then refer to another object, which
// cannot be detected: the program continues with the wrong object.
//
// Whether a new object gets the handle of a dead one is a choice. The default is a fresh handle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/ledger/ledger.h"
#include "harness/devices/sim/handles.h"

namespace harness::devices {

/// Ownership: owns the objects, one for each lifetime, and keeps their storage from run to run;
/// T::reset() makes one new again. Addresses of objects are stable until the run ends.
template <class T, HandleKind kKind>
class RecycledHandles {
 public:
  void begin() {
    count_ = 0;
    newest_.clear();
    freed_.clear();
  }

  /// Begins a lifetime at the current site.
  T& add(Ledger& ledger, Label kind) {
    if (count_ == objects_.size()) objects_.push_back(std::make_unique<T>());
    T& object = *objects_[count_++];
    object.reset();
    object.alive = true;
    const std::size_t slot = pick_slot(ledger);
    const BirthId before = slot < newest_.size() ? newest_[slot]->birth : BirthId::none;
    if (slot == newest_.size()) newest_.push_back(nullptr);
    newest_[slot] = &object;
    object.handle = kBase | std::uint64_t{slot + 1} << kHandleShift;
    object.birth = ledger.born(kind, object.handle, 0, before);
    return object;
  }

  /// Ends the lifetime. The handle may be reused.
  void end(Ledger& ledger, T& object) {
    object.alive = false;
    ledger.died(object.birth);
    if (ledger.keeps(object.birth)) [[unlikely]]
      return;
    freed_.push_back(slot_of(object.handle));
  }

  /// Returns the last object with this handle, dead or alive; null if there never was one.
  T* find(const void* handle) const {
    const auto value = reinterpret_cast<std::uint64_t>(handle);
    const std::size_t slot = slot_of(value);
    const bool ours = (value & kHandleMask) == kBase && slot < newest_.size();
    return ours && newest_[slot]->handle == value ? newest_[slot] : nullptr;
  }

 private:
  static constexpr std::uint64_t kBase = handle_base(kKind);
  static constexpr std::size_t kOfferLimit = 4;

  static std::size_t slot_of(std::uint64_t handle) {
    return ((handle & ~kHandleMask) >> kHandleShift) - 1;
  }

  /// Returns the slot of one of the most recently dead objects, or a fresh one (default).
  std::size_t pick_slot(Ledger& ledger) {
    if (freed_.empty()) return newest_.size();
    std::array<std::uint32_t, kOfferLimit + 1> names{0};
    std::uint32_t count = 1;
    for (std::size_t i = freed_.size(); i-- > 0 && count <= kOfferLimit;)
      names[count++] = static_cast<std::uint32_t>(ledger.life(newest_[freed_[i]]->birth).name) | 1;
    const std::uint32_t choice =
        ledger.scheduler().picker().pick_value(Site::reuse, {names.data(), count});
    if (choice == 0) return newest_.size();
    const auto chosen = freed_.end() - static_cast<std::ptrdiff_t>(choice);
    const std::size_t slot = *chosen;
    freed_.erase(chosen);
    return slot;
  }

  std::vector<std::unique_ptr<T>> objects_;
  std::size_t count_ = 0;
  std::vector<T*> newest_;          ///< By slot: its last object.
  std::vector<std::size_t> freed_;  ///< Slots of dead objects, in the order in which they died.
};

}  // namespace harness::devices
