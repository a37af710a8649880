// SPDX-License-Identifier: Apache-2.0
// Handles: the driver's values for contexts, streams and the like. They are opaque, cannot be
// dereferenced, and are not reused within a run: a stale one is recognised, never followed. (Those
// of graphs are reused: handles_recycled.h; those of streams and events may be: handles_freed.h.)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "harness/base/base.h"
#include "harness/core/world.h"

namespace harness::devices {

enum class HandleKind : std::uint8_t {
  context = 1,
  module,
  function,
  stream,
  event,
  pool,
  library,
  kernel,
  graph,
  graph_node,
  graph_exec,
  user_object,
  conditional,
  allocation,
  array,
  texture,
  surface,
  mipmapped_array,
};

/// The common part of every object behind a handle.
struct Object {
  std::uint64_t handle = 0;
  BirthId birth = BirthId::none;  ///< None for objects that CUDA owns: primary streams, default
                                  ///< pools.
  bool alive = true;
  ProcessId process = ProcessId::first;  ///< Its owner; the handle is meaningless to other
                                         ///< processes.

  template <class Handle>
  Handle as() const {
    return reinterpret_cast<Handle>(handle);
  }
};

// Not a canonical address, so that dereferencing it always traps. Also positive as a signed number,
// because some clients store handles in one.
constexpr std::uint64_t handle_base(HandleKind kind) {
  return 0x40da'0000'0000'0000 | std::uint64_t{raw(kind)} << 40;
}
inline constexpr std::uint64_t kHandleMask = 0xffff'ff00'0000'0000;
inline constexpr unsigned kHandleShift = 4;

/// The objects of one kind.
/// Ownership: owns them, and keeps their storage from run to run; T::reset() makes one new again.
/// Addresses of objects are stable.
template <class T, HandleKind kKind>
class HandleTable {
 public:
  void begin() {
    count_ = first_alive_ = 0;
    reused_.clear();
  }

  /// Begins an object with a fresh handle, or with that of a dead object of this table.
  T& add(const T* dead = nullptr) {
    if (count_ == objects_.size()) objects_.push_back(std::make_unique<T>());
    T& object = *objects_[count_];
    object.reset();
    object.birth = BirthId::none;
    object.alive = true;
    object.process = World::current()->scheduler.process();
    object.handle = dead != nullptr ? dead->handle : kBase | (count_ + 1) << kShift;
    if (dead != nullptr) reused_[object.handle] = count_;
    ++count_;
    return object;
  }

  /// Returns the last object of `handle`, dead or alive; null if this process never had it.
  T* find(const void* handle) const {
    T* object = find_anywhere(handle);
    return object != nullptr && object->process == World::current()->scheduler.process() ? object
                                                                                         : nullptr;
  }
  /// Does the same for the handles of all processes.
  T* find_anywhere(const void* handle) const {
    const auto value = reinterpret_cast<std::uint64_t>(handle);
    const std::uint64_t index = (value & ~kBase) >> kShift;
    const bool ours = (value & kMask) == kBase && index - 1 < count_;
    if (const auto reused = reused_.find(value); reused != reused_.end()) [[unlikely]]
      return objects_[reused->second].get();
    if (!ours || value != objects_[index - 1]->handle) return nullptr;
    return objects_[index - 1].get();
  }

  std::size_t size() const { return count_; }
  /// Returns the index of an object of this table that is alive.
  std::uint32_t number(const T& object) const {
    if (const auto reused = reused_.find(object.handle); reused != reused_.end()) [[unlikely]]
      return static_cast<std::uint32_t>(reused->second);
    return static_cast<std::uint32_t>(((object.handle & ~kBase) >> kShift) - 1);
  }
  /// Returns an index before which all objects are dead, so that programs that create and destroy
  /// objects for hours stay fast.
  std::size_t first_alive() {
    while (first_alive_ < count_ && !objects_[first_alive_]->alive) ++first_alive_;
    return first_alive_;
  }
  T& operator[](std::size_t index) const { return *objects_[index]; }

 private:
  static constexpr std::uint64_t kBase = handle_base(kKind);
  static constexpr std::uint64_t kMask = kHandleMask;
  static constexpr unsigned kShift = kHandleShift;

  std::vector<std::unique_ptr<T>> objects_;
  std::uint64_t count_ = 0;
  std::size_t first_alive_ = 0;
  /// The index of the last object of each handle that was reused.
  std::map<std::uint64_t, std::uint64_t> reused_;
};

}  // namespace harness::devices
