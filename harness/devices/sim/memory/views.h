// SPDX-License-Identifier: Apache-2.0
// MemoryViews: device memory at the addresses of those that import it.
//
// All processes' memory is in one range, whose addresses are those of the exporters. A view maps
// that whole range once more, so that opening a handle costs no system call: the mapping is in the
// importer's view where the block is in the range.
#pragma once

#include <cstdint>
#include <map>

#include "harness/devices/sim/memory/touched_pages.h"
#include "harness/scheduler.h"

namespace harness::devices {

/// Ownership: owns the file that the memory is once it is mapped twice. Lifetime: views stay from
/// run to run.
class MemoryViews {
 public:
  /// The memory is [low, low + bytes); the views follow it, by process.
  MemoryViews(std::uint64_t low, std::uint64_t bytes) : low_(low), bytes_(bytes) {}
  ~MemoryViews();
  MemoryViews(const MemoryViews&) = delete;
  MemoryViews& operator=(const MemoryViews&) = delete;

  /// Returns where the process has its view.
  std::uint64_t base(ProcessId process) const {
    return low_ + (raw(process) + std::uint64_t{1}) * bytes_;
  }
  /// Maps the view of a process. `used_end`: nothing from there on was given out.
  void open(ProcessId process, std::uint64_t used_end);
  /// Maps `bytes` of the memory at `from` at an address of someone's as well. Whole pages.
  void map(std::uint64_t at, std::uint64_t from, std::uint64_t bytes, std::uint64_t used_end);
  /// Takes the addresses away.
  static void unmap(std::uint64_t at, std::uint64_t bytes);
  /// Returns the file that the memory is from now on.
  int file(std::uint64_t used_end) {
    share(used_end);
    return file_;
  }
  /// Puts whole pages of another file instead of the memory at an address, until take_back().
  void lay_over(std::uint64_t at, std::uint64_t bytes, int file, std::uint64_t offset);
  void take_back(std::uint64_t at);
  /// Maps whole pages of another file at an address of a program's, until unmap().
  static void map_pages(std::uint64_t at, std::uint64_t bytes, int file, std::uint64_t offset) {
    map_overlay(at, {bytes, file, offset});
  }
  /// Tells whether the memory is a file, which it is from the first view on.
  bool shared() const { return file_ >= 0; }

 private:
  void share(std::uint64_t used_end);
  void copy_into_file(PageRun pages) const;
  void map_file(std::uint64_t at) const;

  struct Overlay {
    std::uint64_t bytes;
    int file;
    std::uint64_t offset;
  };
  static void map_overlay(std::uint64_t at, const Overlay& overlay);

  std::uint64_t low_;
  std::uint64_t bytes_;
  int file_ = -1;
  std::map<std::uint64_t, Overlay> overlays_;  ///< By address. Borrows the files.
  std::uint32_t mapped_ = 0;  ///< The views that are mapped: a bit for each process.
};

}  // namespace harness::devices
