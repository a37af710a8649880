// SPDX-License-Identifier: Apache-2.0
// PageCache: Taichi's CachingAllocator as these small allocations meet it: each fits in a page, and
// takes one.
//
// The smallest free block that holds a page is taken, of equal ones the lowest; what is left of it
// is a block again. If blocks are merged, a freed page joins a free neighbour, so that a lone page
// is handed out before those of a larger block, whatever their addresses.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>

#include "targets/argpack/argpack.h"

namespace targets::argpack {

/// Ownership: owns the chunk that its pages are of, for as long as the process runs. The runtime's
/// own pool takes another one for each program; nothing is in flight when it does.
class PageCache {
 public:
  static constexpr std::size_t kPageBytes = 1024;
  static constexpr std::uint32_t kPageCount = 64;

  explicit PageCache(bool merges) : merges_(merges) { reset(); }

  Status reserve() {
    if (chunk_ != 0) return Status::ok;
    const CUresult result = cuMemAlloc(&chunk_, kPageBytes * kPageCount);
    return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
  }
  /// DeviceMemoryPool::reset(): the next program begins with none handed out.
  void reset() {
    fresh_ = 0;
    blocks_.fill(0);
    known_.fill(kUnknown);
  }

  Status allocate(CUdeviceptr& address) {
    std::uint32_t page = smallest_block();
    if (page < kPageCount) {
      take_from(page);
    } else if (fresh_ < kPageCount) {
      page = fresh_++;
    } else {
      return Status::driver_error;
    }
    address = chunk_ + page * kPageBytes;
    return Status::ok;
  }

  void free(CUdeviceptr address) {
    const auto page = static_cast<std::uint32_t>((address - chunk_) / kPageBytes);
    if (merges_)
      merge_and_insert(page);
    else
      blocks_[page] = 1;
  }

 private:
  static constexpr std::int8_t kUnknown = -1;

  /// Returns the first page of the block that is taken next, or kPageCount.
  std::uint32_t smallest_block() const {
    std::uint32_t best = kPageCount;
    for (std::uint32_t page = 0; page < fresh_; ++page)
      if (blocks_[page] != 0 && (best == kPageCount || blocks_[page] < blocks_[best])) best = page;
    return best;
  }

  void take_from(std::uint32_t page) {
    const std::int8_t rest = blocks_[page] - 1;
    if (rest > 0) {
      blocks_[page + 1] = rest;
      if (known_[page + 1] == kUnknown) known_[page + 1] = rest;  // Else what it was stays.
    }
    blocks_[page] = 0;
    known_[page] = kUnknown;
  }

  // A page that was requested stays known, with size 0: a left neighbour that nothing is merged
  // with.
  void merge_and_insert(std::uint32_t page) {
    std::int8_t size = 1;
    if (known_[page + 1] == kUnknown) known_[page + 1] = 0;
    if (known_[page + 1] > 0) {
      size += known_[page + 1];
      forget_block(page + 1);
    }
    std::uint32_t left = page;
    while (left > 0 && known_[left - 1] == kUnknown) --left;
    if (left > 0 && left - 1 + known_[left - 1] == page) {
      size += known_[left - 1];
      page = left - 1;
      forget_block(page);
    }
    blocks_[page] = known_[page] = size;
  }
  void forget_block(std::uint32_t page) {
    blocks_[page] = 0;
    known_[page] = kUnknown;
  }

  bool merges_;
  CUdeviceptr chunk_ = 0;
  std::uint32_t fresh_ = 0;                        ///< Pages from here on were never given out.
  std::array<std::int8_t, kPageCount> blocks_;     ///< mem_blocks_: pages of a free block.
  std::array<std::int8_t, kPageCount + 1> known_;  ///< ptr_map_: the same, as upstream knows it.
};

}  // namespace targets::argpack
