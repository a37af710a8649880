// Footprint: which bytes the kernel block that runs has used, as ranges. Kept only while there are
// streams enough to race: see SimDevice::run_block().
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/devices/sim/kernels/used_range.h"

namespace harness::devices {

class Footprint {
 public:
  void begin() {
    ranges_.clear();
    for (std::size_t& count : open_count_) count = 0;
    overflowed_ = false;
  }

  /// Threads run one after another, so that most uses go on where one of the last few ended.
  void add(std::uint64_t address, std::uint64_t bytes, AccessMode mode) {
    const auto index = static_cast<std::size_t>(mode);
    for (std::size_t i = 0; i < open_count_[index]; ++i) {
      Open& range = open_[index][i];
      if (address >= range.low && address + bytes <= range.high) return;
      if (address == range.high) {
        range.high += bytes;
        return;
      }
    }
    start_range(address, bytes, mode);
  }

  /// Everything; nothing when it was too much to keep.
  const std::vector<UsedRange>& finish();

 private:
  struct Open {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };
  static constexpr std::size_t kOpenCount = 4;
  static constexpr std::size_t kModeCount = 3;
  static constexpr std::size_t kRangeLimit = 4096;
  static constexpr std::size_t kFew = 16;  ///< Not worth sorting.

  void start_range(std::uint64_t address, std::uint64_t bytes, AccessMode mode);
  void merge();

  std::array<std::array<Open, kOpenCount>, kModeCount> open_;
  std::array<std::size_t, kModeCount> open_count_{};
  std::array<std::size_t, kModeCount> next_{};  ///< To be closed for another.
  std::vector<UsedRange> ranges_;
  bool overflowed_ = false;
};

}  // namespace harness::devices
