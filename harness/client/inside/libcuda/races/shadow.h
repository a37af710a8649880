// SPDX-License-Identifier: Apache-2.0
// Shadow: the last accesses of each 8 bytes of the program's memory, to find two that nothing
// orders.
//
// Source: FastTrack (Flanagan and Freund, PLDI 2009), with the cells of ThreadSanitizer (Serebryany
// and Iskhodzhanov 2009): a cell has four slots, so accesses of parts of it need no own cells, and
// of many readers the last four are known. Departure: pages of cells are allocated when they are
// needed, and the oldest is dropped when there are too many.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "harness/client/inside/libcuda/races/vector_clock.h"

namespace harness::entries {

/// One side of a race.
struct RacingAccess {
  std::uintptr_t code = 0;  ///< The return address of its callback.
  std::uint32_t time = 0;   ///< The time of its thread; 0 for none.
  std::uint32_t path = 0;   ///< The node of its calls.
  std::uint16_t thread = 0;
  std::uint8_t mask = 0;  ///< The bytes of the cell.
  bool writes = false;
  bool is_atomic = false;
};

/// Threads: one at a time.
class Shadow {
 public:
  static constexpr std::uintptr_t kCellBytes = 8;

  /// Notes an access of bytes in the cell of this address. Returns an earlier one that races with
  /// it, if there is any. `now`: the clock of its thread.
  std::optional<RacingAccess> access(std::uintptr_t address, const RacingAccess& access,
                                     const VectorClock& now);
  /// Forgets the accesses of a range.
  void forget(std::uintptr_t low, std::uintptr_t high);

 private:
  static constexpr std::size_t kCellsInPage = 128;
  static constexpr std::uintptr_t kPageBytes = kCellsInPage * kCellBytes;
  static constexpr std::size_t kMostPages = 8192;
  static constexpr std::size_t kRecent = 256;

  using Cell = std::array<RacingAccess, 4>;
  struct Page {
    std::uintptr_t number = 0;
    std::array<Cell, kCellsInPage> cells;
  };

  static void note(Cell& cell, const RacingAccess& access, const VectorClock& now);
  Page& page_at(std::uintptr_t address);
  Page& make(std::uintptr_t number);
  void clear(Page& page, std::uintptr_t low, std::uintptr_t high);

  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  std::deque<std::uintptr_t> ages_;      ///< Numbers of pages, the oldest first.
  std::array<Page*, kRecent> recent_{};  ///< By the number, to find most pages quickly.
};

}  // namespace harness::entries
