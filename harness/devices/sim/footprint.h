// Footprint: which bytes the kernel block that runs has used, as ranges. Kept only while more than
// one stream exists: nothing else can race with a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/devices/sim/used_range.h"

namespace harness::devices {

class Footprint {
 public:
  void begin() {
    ranges_.clear();
    for (auto& open : open_) open.fill({});
    overflowed_ = false;
  }

  /// Threads run one after another, so that most uses go on where one of the last few ended.
  void add(std::uint64_t address, std::uint64_t bytes, AccessMode mode) {
    auto& open = open_[static_cast<std::size_t>(mode)];
    for (Open& range : open) {
      if (address >= range.low && address + bytes <= range.high) return;
      if (address == range.high) {
        range.high += bytes;
        return;
      }
    }
    start_range(address, bytes, mode);
  }

  /// Everything, in the order of addresses; nothing when it was too much to keep.
  const std::vector<UsedRange>& finish();

 private:
  struct Open {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };
  static constexpr std::size_t kOpenCount = 4;
  static constexpr std::size_t kModeCount = 3;
  static constexpr std::size_t kRangeLimit = 4096;

  void start_range(std::uint64_t address, std::uint64_t bytes, AccessMode mode);
  void merge();

  std::array<std::array<Open, kOpenCount>, kModeCount> open_;
  std::array<std::size_t, kModeCount> next_{};
  std::vector<UsedRange> ranges_;
  bool overflowed_ = false;
};

}  // namespace harness::devices
