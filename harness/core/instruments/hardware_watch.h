// SPDX-License-Identifier: Apache-2.0
// Hardware watch: the processor's debug registers show which instruction wrote to a few bytes.
//
// It sees every store of this thread in user mode, whatever compiled it, so that no store escapes
// it as it may escape instrumentation. It is only evidence: a run is the same with and without it.
//
// Ownership: holds one perf event per watched place, until it is forgotten or the watch ends.
// Threads: sees only the thread that made it. At most one at a time in a process, because its trap
// has one handler. Errors: none; why_not() gives the machine's reason.
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

#include "harness/core/instruments/store_decoder.h"

namespace harness::instruments {

class HardwareWatch {
 public:
  /// x86-64 has four debug registers. Linux returns ENOSPC if more are requested.
  static constexpr std::size_t kRegisterCount = 4;

  /// A trap. Bytes that a masked vector store does not write may trap nevertheless. Then `before`
  /// equals `after`, as it does if a store writes the old value.
  struct Write {
    const void* place;     ///< The place that was given to watch().
    std::uintptr_t code;   ///< Address of the instruction after the store.
    std::uint64_t before;  ///< All watched bytes, before the store.
    std::uint64_t after;   ///< All watched bytes, after the store.
    DecodedStore store;    ///< The instruction, as far as it was decoded.
  };

  /// Returns why this machine has no hardware watch, in words; empty if it has one. The first call
  /// tries it out, while no other watch exists.
  static const std::string& why_not();

  /// Keeps at most `write_limit` writes; further ones are counted.
  explicit HardwareWatch(std::size_t write_limit = 65536);
  ~HardwareWatch();
  HardwareWatch(const HardwareWatch&) = delete;  // Its handler points at it.
  HardwareWatch& operator=(const HardwareWatch&) = delete;

  /// Watches `width` bytes (1, 2, 4 or 8, aligned). Returns false if no register is free.
  bool watch(const void* place, std::size_t width);
  /// Stops watching `place`. No effect if it was not watched.
  void forget(const void* place);
  std::size_t watched_count() const;  ///< Number of currently watched places.

  std::span<const Write> writes() const { return writes_; }
  /// Makes room, after writes() has been read.
  void clear_writes() { writes_.clear(); }
  /// Returns the number of writes that did not fit.
  std::uint64_t lost_count() const { return lost_count_; }

 private:
  struct Register {
    const void* place = nullptr;
    std::size_t width = 0;
    int event = -1;
    std::uint64_t last = 0;  ///< The watched bytes after the last write that was recorded.
  };

  static void trapped(int number, siginfo_t* info, void* context);
  void give_back(int number) const;
  void keep(const void* place, std::uintptr_t code, const void* context);
  void keep_changed(std::uintptr_t code, const void* context);
  Register* find(const void* place);

  std::array<Register, kRegisterCount> registers_;
  std::vector<Write> writes_;  ///< Fully reserved, because the handler must not allocate.
  std::uint64_t lost_count_ = 0;
  struct sigaction previous_{};
};

}  // namespace harness::instruments
