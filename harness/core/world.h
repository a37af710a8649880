// SPDX-License-Identifier: Apache-2.0
// World: everything that one run consists of. Made once per thread, begun again for every run.
#pragma once

#include "harness/base/arena.h"
#include "harness/core/heap/heap.h"
#include "harness/core/history/history.h"
#include "harness/core/host.h"
#include "harness/core/ledger/ledger.h"
#include "harness/core/pick/pick.h"
#include "harness/core/scheduler/scheduler.h"

namespace harness {

class Device;

/// Ownership: owns its parts and keeps their buffers from run to run. Borrows the device.
/// Threads: confined to one thread; the CUDA entry points find it through current().
struct World {
  Arena arena;
  Picker picker;
  History history;
  Scheduler scheduler{arena, picker, history};
  Ledger ledger{scheduler};
  Host host{ledger};
  Heap heap{ledger};
  Device* device = nullptr;
  /// Largest number of errors injected in a run, so that a program that retries makes progress.
  static constexpr std::uint32_t kFailureLimit = 256;
  /// Set by an actor: each CUDA call that can fail then makes a choice whether to fail.
  bool calls_may_fail = false;
  /// Number of errors injected in this run.
  std::uint32_t injected_failures = 0;

  /// Forgets the last run; at most `turn_limit` turns will be taken in the next.
  void begin(Strategy& strategy, Tick turn_limit);

  /// Chooses an error of a CUDA call to inject; 0, the default, means none. Counts it.
  std::uint32_t pick_failure(std::uint32_t option_count, Site site = Site::failure) {
    if (!calls_may_fail || injected_failures == kFailureLimit) [[likely]]
      return 0;
    const std::uint32_t choice = picker.pick(site, option_count);
    injected_failures += choice != 0;
    return choice;
  }

  static World* current() { return current_; }

  /// Makes a world current while it exists.
  class Current {
   public:
    explicit Current(World& world) : previous_(current_) { current_ = &world; }
    ~Current() { current_ = previous_; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    World* previous_;
  };

  /// Makes a world current, and its arena the default memory resource, while it exists.
  class Guard {
   public:
    explicit Guard(World& world) : arena_(world.arena), current_(world) {}

   private:
    ArenaGuard arena_;
    Current current_;
  };

 private:
  static inline constinit thread_local World* current_ = nullptr;
};

}  // namespace harness
