// SPDX-License-Identifier: Apache-2.0
// Touched pages: the pages of memory that have been written; all others are zero.
//
// Source: the kernel's documentation of /proc/PID/pagemap, bits 62 (in swap) and 63 (present).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace harness::devices {

/// A range of addresses: [low, high).
struct PageRun {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Iterates over the runs of touched pages in memory of this process. If the kernel does not
/// provide this information, all pages count as touched.
///
/// Ownership: owns a descriptor. Threads: one.
class TouchedPages {
 public:
  /// Begins at `low`, the start of a page, and ends before `high`.
  TouchedPages(std::uint64_t low, std::uint64_t high);
  ~TouchedPages();
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  /// Returns the next run; it is empty at the end. A long one is returned in parts.
  PageRun next();

 private:
  bool is_touched(std::uint64_t page);
  void read_entries();

  std::uint64_t page_bytes_;
  std::uint64_t at_;
  std::uint64_t high_;
  int file_;
  std::uint64_t first_ = 0;  ///< The page number of the first entry in `entries_`.
  std::size_t count_ = 0;
  std::array<std::uint64_t, 4096> entries_{};
};

}  // namespace harness::devices
