// SPDX-License-Identifier: Apache-2.0
// Own memory: the pages that a process has written, which a fork shares until one of them writes
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace harness::entries {

/// Lifetime: what it knows stays until the process ends; a copy of it is as good. Threads: confined
/// to one, in the process and in each fork.
class OwnMemory {
 public:
  /// Knows of none.
  OwnMemory() = default;
  /// Finds them. With a single processor nothing is copied, because it would delay the runs.
  static OwnMemory find();

  /// Copies, in a fork, the pages that earlier ones wrote to: it need not stop for these. Memory
  /// that the system does not copy is left shared.
  void copy() const;
  /// Notes, at the end of a fork, which pages it has written to. Memory that it has given back to
  /// the system by then is not seen.
  void note_written() const;

 private:
  struct Range {
    std::size_t begin = 0;  ///< An address.
    std::size_t page_count = 0;
    std::size_t first_page = 0;  ///< Its number among those of all ranges.
  };
  struct Notes;

  void note_range(const Range& range, int pagemap) const;

  Notes* notes_ = nullptr;              ///< Those of the process and its forks.
  std::span<Range> ranges_;             ///< Behind these,
  std::span<std::uint8_t> is_written_;  ///< and behind those: for each page. None becomes 0 again.
};

}  // namespace harness::entries
