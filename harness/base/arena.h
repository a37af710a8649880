// SPDX-License-Identifier: Apache-2.0
// Arena: the memory of one run. Targets and scenarios allocate from it. It is dropped as a whole,
// so a task that a fatal fault stopped leaks nothing.
//
// Targets and scenarios use std::pmr containers (and make_in_arena). While a run is current, the
// arena is the default memory resource. State of the harness is kept in ordinary containers,
// outside of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
#include <utility>

namespace harness {

/// Allocates by advancing a pointer in one block that is kept between runs. Requests that do not
/// fit go to a monotonic_buffer_resource. `final`, so that calls can be inlined: a run allocates
/// about fifty times.
/// Ownership: owns its memory. Threads: confined to the thread that runs the case.
class ArenaResource final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

  ArenaResource() : kept_(new std::byte[kKeptBytes]) {}

  /// Releases all allocations; the memory itself is kept for reuse.
  void release() {
    next_ = 0;
    overflow_.release();
  }

  /// Hides the function of the base class, to avoid the virtual call.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    const auto base = reinterpret_cast<std::uintptr_t>(kept_.get());
    const std::size_t begin = ((base + next_ + alignment - 1) & ~(alignment - 1)) - base;
    if (begin > kKeptBytes || bytes > kKeptBytes - begin) [[unlikely]]
      return overflow_.allocate(bytes, alignment);
    next_ = begin + bytes;
    return kept_.get() + begin;
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return allocate(bytes, alignment);
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}  // Only release() frees memory.
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::unique_ptr<std::byte[]> kept_;
  std::size_t next_ = 0;  ///< Offset in kept_.
  std::pmr::monotonic_buffer_resource overflow_{std::pmr::new_delete_resource()};
};

/// Ownership: owns what is made in it. Threads: confined to the thread that runs the case.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;  // Containers point at its resource.
  Arena& operator=(const Arena&) = delete;

  /// Drops everything allocated since the last reset, without running destructors.
  void reset() { resource_.release(); }

  /// Returns the resource that containers of the run allocate from. The arena owns it.
  std::pmr::memory_resource* resource() { return &resource_; }

  /// Makes an object whose destructor never runs.
  template <class T, class... Args>
  T* make(Args&&... args) {
    return new (resource_.allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

 private:
  ArenaResource resource_;
};

/// Makes the arena the default memory resource while the guard exists.
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
