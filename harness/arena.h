// Arena: the memory of one run. What targets and scenarios allocate comes from it and is dropped
// whole, so a task that a fatal fault stopped in mid-air leaks nothing.
//
// Targets and scenarios use std::pmr containers (and make_in_arena); while a run is current, the
// arena is the default memory resource. Harness state lives in ordinary containers, outside it.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <utility>

namespace harness {

/// Ownership: owns one block that it keeps between runs, and overflow blocks that it does not.
/// Threads: confined to the thread that runs the case.
class Arena {
 public:
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

  Arena() : kept_(new std::byte[kKeptBytes]), resource_(kept_.get(), kKeptBytes) {}
  Arena(const Arena&) = delete;  // The resource points into kept_, and containers point at it.
  Arena& operator=(const Arena&) = delete;

  /// Drops everything allocated since the last reset, without running destructors.
  void reset() { resource_.release(); }

  std::pmr::memory_resource* resource() { return &resource_; }

  /// Makes an object whose destructor never runs.
  template <class T, class... Args>
  T* make(Args&&... args) {
    return new (resource_.allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

 private:
  std::unique_ptr<std::byte[]> kept_;
  std::pmr::monotonic_buffer_resource resource_;
};

/// Makes the arena the default memory resource for as long as the guard lives.
class ArenaGuard {
 public:
  explicit ArenaGuard(Arena& arena) : previous_(std::pmr::set_default_resource(arena.resource())) {}
  ~ArenaGuard() { std::pmr::set_default_resource(previous_); }
  ArenaGuard(const ArenaGuard&) = delete;
  ArenaGuard& operator=(const ArenaGuard&) = delete;

 private:
  std::pmr::memory_resource* previous_;
};

}  // namespace harness
