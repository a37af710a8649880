// SPDX-License-Identifier: Apache-2.0
// MemoryViews: device memory at the addresses of importing processes.
//
// The memory of all processes is in one range, at the addresses of the exporters. A view maps that
// whole range again, so that opening a handle needs no system call. A mapping has the same offset
// in the importer's view as the block in the range.
#pragma once

#include <cstdint>
#include <map>

#include "harness/core/scheduler/scheduler.h"
#include "harness/devices/sim/memory/touched_pages.h"

namespace harness::devices {

/// Ownership: owns the file that contains the memory after it is mapped twice. Lifetime: views stay
/// from run to run.
class MemoryViews {
 public:
  /// The memory is [low, low + bytes). The views follow it, in the order of processes.
  MemoryViews(std::uint64_t low, std::uint64_t bytes) : low_(low), bytes_(bytes) {}
  ~MemoryViews();
  MemoryViews(const MemoryViews&) = delete;
  MemoryViews& operator=(const MemoryViews&) = delete;

  /// Returns the address of the process's view.
  std::uint64_t base(ProcessId process) const {
    return low_ + (raw(process) + std::uint64_t{1}) * bytes_;
  }
  /// Maps the view of a process. `used_end`: no memory from there on was allocated.
  void open(ProcessId process, std::uint64_t used_end);
  /// Also maps `bytes` of the memory at `from` at another address. Whole pages.
  void map(std::uint64_t at, std::uint64_t from, std::uint64_t bytes, std::uint64_t used_end);
  /// Unmaps the addresses.
  static void unmap(std::uint64_t at, std::uint64_t bytes);
  /// Returns the file with the memory, which is moved into it if necessary.
  int file(std::uint64_t used_end) {
    share(used_end);
    return file_;
  }
  /// Maps whole pages of another file over the memory at an address, until take_back().
  void lay_over(std::uint64_t at, std::uint64_t bytes, int file, std::uint64_t offset);
  void take_back(std::uint64_t at);
  /// Maps whole pages of another file at a program's address, until unmap().
  static void map_pages(std::uint64_t at, std::uint64_t bytes, int file, std::uint64_t offset) {
    map_overlay(at, {bytes, file, offset});
  }
  /// Returns whether the memory is in a file, which is so after the first view.
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
  std::uint32_t mapped_ = 0;                   ///< Bit for each process whose view is mapped.
};

}  // namespace harness::devices
