// SPDX-License-Identifier: Apache-2.0
// Blocks: the owners of all storage, by birth id: the address space's view of its allocator.
//
// pymalloc cuts pools of 16 KiB into blocks of one size each. A block is found by the slot that it
// mostly overlaps, because free() of a wrong pointer creates blocks that begin at slightly wrong
// addresses.
#pragma once

#include <array>
#include <cstddef>

#include "harness/driver/runtime.h"
#include "targets/managed_dict/memory_observer.h"

namespace targets::managed_dict {

inline constexpr std::uint32_t kPoolBytes = 16384;
inline constexpr std::uint32_t kPoolHeaderBytes = 48;
inline constexpr std::uint32_t kPoolCount = 32;  ///< At least one for each size class.
inline constexpr std::uint32_t kHeapBytes = kPoolBytes * kPoolCount;
inline constexpr std::uint32_t kAlignment = 16;
inline constexpr std::uint32_t kSmallLimit = 512;
inline constexpr std::uint32_t kClassCount = kSmallLimit / kAlignment;

inline constexpr std::uint32_t kStaticBytes = 256;  ///< Distance between two static blocks.
inline constexpr std::uint32_t kStaticCount = 24;

/// A piece of storage, and its current or last owner.
struct Block {
  Address begin = 0;
  std::uint32_t bytes = 0;     ///< The requested size.
  std::uint32_t capacity = 0;  ///< Size of its size class.
  harness::BirthId id = harness::BirthId::none;
  BlockKind kind = BlockKind::none;
  bool alive = false;

  Address end() const { return begin + capacity; }
  bool contains(Address address) const { return address >= begin && address < end(); }
};

class Blocks {
 public:
  /// `pool_limit`: number of pools that fit into memory, kPoolCount at most.
  Blocks(harness::Arena& arena, Address heap_base, Address static_base, std::uint32_t pool_limit);

  Address heap_base() const { return heap_base_; }
  Address static_base() const { return static_base_; }
  bool in_heap(Address address) const { return address - heap_base_ < kHeapBytes; }
  bool in_statics(Address address) const {
    return address - static_base_ < kStaticBytes * kStaticCount;
  }

  /// Returns whether all `width` bytes are in live blocks.
  bool covers(Address address, std::uint32_t width) const {
    const Block* block = find(address);
    if (block == nullptr) return false;
    if (address + width <= block->end()) [[likely]]
      return true;
    return covers(block->end(), static_cast<std::uint32_t>(address + width - block->end()));
  }

  /// Returns the live block that contains this byte, or null.
  const Block* find(Address address) const;
  /// Returns the last block that contained this byte, or null.
  const Block* find_dead(Address address) const;

  // ---- pools ----

  struct Pool {
    std::uint32_t block_bytes = 0;  ///< 0 if the pool has no size class yet.
    std::uint32_t reciprocal = 0;
    std::uint32_t carved = 0;  ///< Slots that were ever allocated.
    Block* slots = nullptr;
    std::uint32_t capacity() const { return (kPoolBytes - kPoolHeaderBytes) / block_bytes; }
  };
  Pool& pool(std::uint32_t index) { return pools_[index]; }
  Address pool_base(std::uint32_t index) const { return heap_base_ + Address{index} * kPoolBytes; }
  std::uint32_t pool_of(Address address) const {
    return static_cast<std::uint32_t>((address - heap_base_) / kPoolBytes);
  }
  /// Sets the maximum number of open pools.
  void limit_pools(std::uint32_t limit) { pool_limit_ = limit; }
  std::uint32_t open_count() const { return open_count_; }
  /// Opens the next pool, with blocks of `block_bytes`. Returns kPoolCount if there is no memory
  /// for it.
  std::uint32_t open_pool(std::uint32_t block_bytes);
  /// Returns the next block of a pool that was never allocated; there must be one.
  Block& carve(std::uint32_t pool);
  /// Returns the slot that a block at this address mostly overlaps, or null.
  const Block* slot_near(Address begin) const;
  Block* slot_near(Address begin) {
    return const_cast<Block*>(static_cast<const Blocks&>(*this).slot_near(begin));
  }

  Block& add_static(BlockKind kind, std::uint32_t bytes);
  std::uint32_t static_count() const { return static_count_; }
  Block& static_block(std::uint32_t index) { return statics_[index]; }

  /// Calls `visit(block)` for every live block of a pool.
  template <class Visit>
  void for_each_live(Visit visit) const {
    for (std::uint32_t index = 0; index < open_count_; ++index)
      for (std::uint32_t slot = 0; slot < pools_[index].carved; ++slot)
        if (const Block& block = pools_[index].slots[slot]; block.alive) visit(block);
  }

 private:
  static std::uint32_t slot_index(const Pool& pool, std::uint32_t offset) {
    return ((offset - kPoolHeaderBytes) / kAlignment * pool.reciprocal) >> 16;
  }

  harness::Arena& arena_;
  Address heap_base_;
  Address static_base_;
  std::uint32_t pool_limit_;
  std::array<Pool, kPoolCount> pools_;
  std::uint32_t open_count_ = 0;
  std::array<Block, kStaticCount> statics_;
  std::uint32_t static_count_ = 0;
};

}  // namespace targets::managed_dict
