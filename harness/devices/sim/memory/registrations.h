// SPDX-License-Identifier: Apache-2.0
// Registrations: which block last had an address of host memory, outside of the device's range.
#pragma once

#include <cstdint>
#include <map>

namespace harness::devices {

/// Ranges of addresses, with the block that was last registered there, dead or alive. Overlapped
/// parts of earlier ranges are discarded.
/// Threads: confined to the run's thread.
class Registrations {
 public:
  void begin() { ranges_.clear(); }

  /// Adds a block at addresses without a live one.
  void add(std::uint64_t low, std::uint64_t high, std::uint32_t block);
  bool empty() const { return ranges_.empty(); }
  /// Returns the last block at `address`; 0 for none.
  [[gnu::cold]] std::uint32_t find(std::uint64_t address) const;

  /// Calls `act` with each block that overlaps [low, high), until it returns true.
  template <class Act>
  void visit(std::uint64_t low, std::uint64_t high, Act act) const {
    for (auto it = first_beyond(low); it != ranges_.end() && it->second.low < high; ++it)
      if (act(it->second.block)) return;
  }

 private:
  struct Range {
    std::uint64_t low;
    std::uint32_t block;
  };
  using Ranges = std::map<std::uint64_t, Range>;

  /// Returns the first range that does not end before `address`.
  Ranges::const_iterator first_beyond(std::uint64_t address) const {
    return ranges_.upper_bound(address);
  }
  void cut(std::uint64_t low, std::uint64_t high);

  Ranges ranges_;  ///< By end address; they do not overlap.
};

}  // namespace harness::devices
