// SPDX-License-Identifier: Apache-2.0
// MemoryEnds: detects the end of memory that is lent to the driver: when it is freed, or its stack
// frame ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>

#include "harness/client/border/orders.h"
#include "harness/client/inside/libcuda/guide/askers.h"
#include "harness/client/inside/libcuda/guide/parties.h"
#include "harness/client/inside/libcuda/memory_hooks.h"
#include "harness/core/world.h"
#include "harness/devices/sim/lent/lent_memory.h"

namespace harness::entries {

/// Memory that queued host functions will use is kept unchanged for a while, so that they behave
/// the same in each run.
///
/// A stack frame has ended when its thread calls the driver from a frame above it. Frames of
/// coroutines and on other stacks of the program are ordinary memory that is freed.
///
/// Threads: requires the driver, except for the functions that the preloaded library calls.
/// Lifetime: until the process ends; borrows all its arguments.
class MemoryEnds final : public devices::LentMemory::Listener {
 public:
  MemoryEnds(Askers& askers, Parties& parties, const client::Orders& orders)
      : askers_(askers), parties_(parties), orders_(orders) {}

  /// Tracks lent memory of this process from then on, if the library that detects frees is loaded.
  void begin(World& world);
  /// Called when the thread calls the driver: ends the stack frames that it has left.
  void begin_call(World& world, const Activation& call);

  void lent(std::uint64_t address, Name birth) override;
  void returned(std::uint64_t address) override;

 private:
  class LeftStack;

  static bool ends(void* memory, std::size_t bytes, const char* how);
  bool end(std::uintptr_t low, std::uintptr_t high, Label how, void* block);
  bool holds(std::uintptr_t low, std::uintptr_t high);
  client::Place calling_place() const;
  void keep(void* memory, std::size_t bytes);

  Askers& askers_;
  Parties& parties_;
  const client::Orders& orders_;
  LentPages pages_;
  std::mutex mutex_;
  std::multiset<std::uintptr_t> addresses_;  ///< Lent addresses; guarded by the mutex.
  struct Kept {
    void* memory;
    std::size_t bytes;
  };
  std::deque<Kept> kept_;  ///< The oldest comes first.
  std::size_t kept_bytes_ = 0;
};

}  // namespace harness::entries
