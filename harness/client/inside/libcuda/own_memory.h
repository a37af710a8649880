// SPDX-License-Identifier: Apache-2.0
// Own memory: the pages that a process has written to, which it shares with its forks until one of
// them writes again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace harness::entries {

/// Lifetime: its data stays until the process ends, and copies are equivalent. Threads: confined to
/// one thread, in the process and in each fork.
class OwnMemory {
 public:
  /// Knows no pages.
  OwnMemory() = default;
  /// Finds them. Empty on a single processor, where copying would delay the runs.
  static OwnMemory find();

  /// Copies, in a fork, the pages that earlier forks wrote to, so that it need not fault for them
  /// later. Memory that the system cannot copy stays shared.
  void copy() const;
  /// Notes, at the end of a fork, which pages it has written to. Memory that it has unmapped by
  /// then is not noticed.
  void note_written() const;

 private:
  struct Range {
    std::size_t begin = 0;  ///< Its address.
    std::size_t page_count = 0;
    std::size_t first_page = 0;  ///< Number of its first page among those of all ranges.
  };
  struct Notes;

  void note_range(const Range& range, int pagemap) const;

  Notes* notes_ = nullptr;              ///< Shared by the process and its forks.
  std::span<Range> ranges_;             ///< Placed after the notes.
  std::span<std::uint8_t> is_written_;  ///< One per page, after the ranges; 1 stays 1.
};

}  // namespace harness::entries
