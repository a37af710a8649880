// SPDX-License-Identifier: Apache-2.0
// Footprint: the bytes that the running kernel block has used, as ranges. Only kept while there are
// enough streams for a race; see WorkSteps::run_block().
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/device_code/kernel_image.h"
#include "harness/devices/sim/kernels/used_range.h"

namespace harness::devices {

class Footprint {
 public:
  void begin() {
    ranges_.clear();
    for (std::size_t& count : open_count_) count = 0;
    overflowed_ = false;
  }

  /// Adds a use. Threads run one after another, so that most uses continue where one of the last
  /// few ended. Returns the range that contains the use. The caller may extend it until the block
  /// ends, or until the range is reused for other uses of the same mode.
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

  /// Returns all ranges; none if there were too many.
  const std::vector<UsedRange>& finish();

 private:
  static constexpr std::size_t kOpenCount = 4;
  static constexpr std::size_t kModeCount = 3;
  static constexpr std::size_t kRangeLimit = 4096;
  static constexpr std::size_t kFew = 16;  ///< Number of ranges that are not worth sorting.

  KernelRange& start_range(std::uint64_t address, std::uint64_t bytes, AccessMode mode);
  void merge();

  std::array<std::array<KernelRange, kOpenCount>, kModeCount> open_{};
  std::array<std::size_t, kModeCount> open_count_{};
  std::array<std::size_t, kModeCount> next_{};  ///< Index of the open range that is closed next.
  std::vector<UsedRange> ranges_;
  bool overflowed_ = false;
};

}  // namespace harness::devices
