// SPDX-License-Identifier: Apache-2.0
// Touched pages: which pages of memory hold something, the others being zeros that no one wrote.
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

/// Goes through memory of this process from run to run of touched pages. If the kernel does not
/// tell, all pages are touched.
///
/// Ownership: owns a descriptor. Threads: one.
class TouchedPages {
 public:
  /// Begins at `low`, the start of a page, and ends before `high`.
  TouchedPages(std::uint64_t low, std::uint64_t high);
  ~TouchedPages();
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  /// Returns the next run; it is empty once there are no more. A long one comes in parts.
  PageRun next();

 private:
  bool is_touched(std::uint64_t page);
  void read_entries();

  std::uint64_t page_bytes_;
  std::uint64_t at_;
  std::uint64_t high_;
  int file_;
  std::uint64_t first_ = 0;  ///< The page number of the first entry that was read.
  std::size_t count_ = 0;
  std::array<std::uint64_t, 4096> entries_{};
};

}  // namespace harness::devices
