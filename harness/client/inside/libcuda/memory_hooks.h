// SPDX-License-Identifier: Apache-2.0
// Memory hooks: the interface between the preloaded library, which detects frees, and the driver,
// which knows which memory is lent.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace harness::entries {

/// The pages in which lent memory begins, so that most frees can be skipped quickly. Several pages
/// share a counter. Ownership: the driver owns and modifies it. Threads: any may read it.
class LentPages {
 public:
  bool are_none() const { return count_.load(std::memory_order_relaxed) == 0; }
  /// Returns whether lent memory may begin in these `bytes` bytes from `low`.
  bool may_hold(std::uintptr_t low, std::size_t bytes) const {
    if (are_none()) return false;
    constexpr std::uintptr_t kMostPages = 16;
    const std::uintptr_t first = low / kPageBytes;
    const std::uintptr_t last = (low + bytes - 1) / kPageBytes;
    if (last - first >= kMostPages) return true;
    for (std::uintptr_t page = first; page <= last; ++page)
      if (counts_[page % kSlots].load(std::memory_order_relaxed) != 0) return true;
    return false;
  }
  void add(std::uintptr_t address) { change(address, 1); }
  void remove(std::uintptr_t address) { change(address, ~std::uint32_t{0}); }

 private:
  static constexpr std::uintptr_t kPageBytes = 4096;
  static constexpr std::size_t kSlots = 4096;

  void change(std::uintptr_t address, std::uint32_t by) {
    counts_[address / kPageBytes % kSlots].fetch_add(by, std::memory_order_relaxed);
    count_.fetch_add(by, std::memory_order_relaxed);
  }

  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> counts_[kSlots] = {};
};

/// Threads: any.
struct MemoryHooks {
  const LentPages* lent;
  /// Called before memory that may be lent is freed. Returns whether to keep it unchanged and free
  /// it later.
  bool (*ends)(void* memory, std::size_t bytes, const char* how);
};

/// The function of that library which receives the table, by its exported name.
inline constexpr const char* kTakeMemoryHooks = "afterlife_take_memory_hooks";
using TakeMemoryHooks = void (*)(const MemoryHooks* hooks);

}  // namespace harness::entries
