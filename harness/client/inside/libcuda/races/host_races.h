// SPDX-License-Identifier: Apache-2.0
// Host races: data races between threads of a program whose code is instrumented.
//
// Its threads take turns, so the detector needs no locks. While a thread runs beside others,
// because it makes no step for long, its accesses are not noted.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/client/inside/libcuda/instrument_hooks.h"
#include "harness/client/inside/libcuda/races/call_tree.h"
#include "harness/client/inside/libcuda/races/happens_before.h"
#include "harness/client/inside/libcuda/races/shadow.h"
#include "harness/client/inside/libcuda/turns/baton.h"

namespace harness::entries {

/// Two accesses of the same bytes that nothing orders, the earlier one first.
struct HostRace {
  struct Side {
    std::size_t thread;
    bool writes;
    bool is_atomic;
    std::vector<std::uintptr_t> codes;  ///< Return addresses, the innermost first.
  };
  Side first, second;
  unsigned bytes;  ///< Number of bytes that both access.
};

/// Lifetime: until the process ends. Threads: any for the static functions; they have no effect
/// if the program is not instrumented, or the thread does not have the baton.
class HostRaces {
 public:
  using Listener = std::function<void(const HostRace& race)>;

  /// Passes our hooks to the program's instrumentation, if there is any.
  static void listen();
  /// Each race is passed to the listener, once for each pair of places.
  static void tell(Listener listener);

  static void started(const BatonThread& child);
  /// Called on the new thread: its stack may be that of a thread that has ended.
  static void begins();
  static void joined(const BatonThread& ended);
  static void acquired(const void* object);
  static void releases(const void* object);

  HostRaces(const HostRaces&) = delete;
  HostRaces& operator=(const HostRaces&) = delete;

 private:
  class Use;

  HostRaces() = default;
  static HostRaces& only();

  static void accesses(const HostAccess& access);
  static void made(const AtomicOperation& operation, std::uint64_t value, bool changed);
  static void fence(int order);
  static void freed(void* memory, std::size_t bytes);

  std::optional<HostRace> note(std::size_t thread, const HostAccess& access);
  std::optional<HostRace> note_cell(std::uintptr_t address, const RacingAccess& access);
  HostRace::Side side_of(const RacingAccess& access) const;

  static bool is_on_;

  std::atomic_flag is_used_;
  HappensBefore order_;
  Shadow shadow_;
  CallTree calls_;
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> told_;  ///< Pairs of places.
  Listener listener_;
};

}  // namespace harness::entries
