// SPDX-License-Identifier: Apache-2.0
// Hardware watch: the processor's debug registers tell which instruction wrote to a few bytes.
//
// It sees what no instrumentation of ours can miss: every store of this thread in user mode, code
// that compiled it. It is evidence only: a run is the same with and without it.
//
// Ownership: holds one perf event per watched place, until it is forgotten or the watch ends.
// Threads: sees the thread that made it, and no other. At most one at a time in a process, since
// its trap has one handler. Errors: none; why_not() says what the machine refuses.
// Source: perf_event_open(2), PERF_TYPE_BREAKPOINT with sigtrap (Linux 5.13). A trap comes after
// the store, so the program counter is that of the *next* instruction.
#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/instruments/store_decoder.h"

namespace harness::instruments {

class HardwareWatch {
 public:
  /// x86-64 has four debug registers. Linux answers ENOSPC when more are asked for.
  static constexpr std::size_t kRegisterCount = 4;

  /// A trap. Bytes that a masked vector store leaves alone may trap nevertheless: then `before` is
  /// `after`, as when a store puts there what was there.
  struct Write {
    const void* place;     ///< The place that was given to watch().
    std::uintptr_t code;   ///< Address of the instruction after the store.
    std::uint64_t before;  ///< All watched bytes, as they were,
    std::uint64_t after;   ///< and as they are now.
    DecodedStore store;    ///< The instruction, as far as it was decoded.
  };

  /// Why this machine has no hardware watch, in words; empty if it has one. It is tried out the
  /// first time, while there is no other watch.
  static const std::string& why_not();

  /// At most `write_limit` writes are kept; more are counted.
  explicit HardwareWatch(std::size_t write_limit = 65536);
  ~HardwareWatch();
  HardwareWatch(const HardwareWatch&) = delete;  // Its handler points at it.
  HardwareWatch& operator=(const HardwareWatch&) = delete;

  /// Watches `width` bytes (1, 2, 4 or 8, aligned). False when every register is taken.
  bool watch(const void* place, std::size_t width);
  /// No more writes to `place` are seen. Nothing happens when it was not watched.
  void forget(const void* place);
  std::size_t watched_count() const;  ///< Counts the places that are watched now.

  std::span<const Write> writes() const { return writes_; }
  /// Makes room: what writes() shows has been looked at.
  void clear_writes() { writes_.clear(); }
  /// Writes since the beginning that there was no room for.
  std::uint64_t lost_count() const { return lost_count_; }

 private:
  struct Register {
    const void* place = nullptr;
    std::size_t width = 0;
    int event = -1;
    std::uint64_t last = 0;  ///< The watched bytes, after the last write that was seen.
  };

  static void trapped(int number, siginfo_t* info, void* context);
  void keep(const void* place, std::uintptr_t code, const void* context);
  Register* find(const void* place);

  std::array<Register, kRegisterCount> registers_;
  std::vector<Write> writes_;  ///< Reserved whole: the handler allocates nothing.
  std::uint64_t lost_count_ = 0;
  struct sigaction previous_{};
};

}  // namespace harness::instruments
