// SPDX-License-Identifier: Apache-2.0
// PageCache: Taichi's CachingAllocator for these small allocations: each takes exactly one
// page.
//
// It takes the smallest free block, and among equal ones the lowest; the rest remains a block.
// If blocks are merged, a freed page joins a free neighbour, so that a single free page is
// allocated before the pages of a larger block, whatever their addresses.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>

#include "targets/argpack/argpack.h"

namespace targets::argpack {

/// Ownership: owns the chunk of its pages as long as the process runs. The real runtime's pool
/// allocates a new chunk for each program; nothing is in flight then.
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
  /// DeviceMemoryPool::reset(): marks all pages as free for the next program.
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

  /// Returns the first page of the block to take next, or kPageCount.
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
      if (known_[page + 1] == kUnknown) known_[page + 1] = rest;  // A known size stays.
    }
    blocks_[page] = 0;
    known_[page] = kUnknown;
  }

  // A page that was allocated stays known, with size 0, so that a left neighbour is not merged with
  // it.
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
  std::uint32_t fresh_ = 0;                        ///< No page from here on was ever allocated.
  std::array<std::int8_t, kPageCount> blocks_;     ///< mem_blocks_: pages of a free block.
  std::array<std::int8_t, kPageCount + 1> known_;  ///< ptr_map_: block sizes that upstream knows.
};

}  // namespace targets::argpack
