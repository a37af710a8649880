// SPDX-License-Identifier: Apache-2.0
// Footprint: which bytes the kernel block that runs has used, as ranges. Kept only while there are
// streams enough to race: see SimDevice::run_block().
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/devices/sim/kernels/used_range.h"
#include "harness/kernel_image.h"

namespace harness::devices {

class Footprint {
 public:
  void begin() {
    ranges_.clear();
    for (std::size_t& count : open_count_) count = 0;
    overflowed_ = false;
  }

  /// Threads run one after another, so that most uses continue where one of the last few ended.
  /// Returns the range that the use is in, which may be made longer until the block ends: it is
  /// another one's, of the same mode, if it is needed for that.
  KernelRange& add(std::uint64_t address, std::uint64_t bytes, AccessMode mode) {
    const auto index = static_cast<std::size_t>(mode);
    for (std::size_t i = 0; i < open_count_[index]; ++i) {
      KernelRange& range = open_[index][i];
      if (address >= range.low && address + bytes <= range.high) return range;
      if (address == range.high) {
        range.high += bytes;
        return range;
      }
    }
    return start_range(address, bytes, mode);
  }

  /// Everything; nothing when it was too much to keep.
  const std::vector<UsedRange>& finish();

 private:
  static constexpr std::size_t kOpenCount = 4;
  static constexpr std::size_t kModeCount = 3;
  static constexpr std::size_t kRangeLimit = 4096;
  static constexpr std::size_t kFew = 16;  ///< Not worth sorting.

  KernelRange& start_range(std::uint64_t address, std::uint64_t bytes, AccessMode mode);
  void merge();

  std::array<std::array<KernelRange, kOpenCount>, kModeCount> open_{};
  std::array<std::size_t, kModeCount> open_count_{};
  std::array<std::size_t, kModeCount> next_{};  ///< To be closed for another.
  std::vector<UsedRange> ranges_;
  bool overflowed_ = false;
};

}  // namespace harness::devices
