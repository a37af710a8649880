// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/blocks.h"

#include <algorithm>

namespace targets::managed_dict {

Blocks::Blocks(harness::Arena& arena, Address heap_base, Address static_base,
               std::uint32_t pool_limit)
    : arena_(arena),
      heap_base_(heap_base),
      static_base_(static_base),
      pool_limit_(std::min(pool_limit, kPoolCount)) {}

// A block that begins at a wrong address may reach into the slot before or behind its own.
const Block* Blocks::find(Address address) const {
  if (in_heap(address)) {
    const Pool& pool = pools_[pool_of(address)];
    const auto offset = static_cast<std::uint32_t>((address - heap_base_) % kPoolBytes);
    if (pool.block_bytes == 0) return nullptr;
    const std::uint32_t slot = offset < kPoolHeaderBytes ? 0 : slot_index(pool, offset);
    for (const std::uint32_t index : {slot, slot + 1, slot - 1}) {
      if (index >= pool.carved) continue;
      const Block& block = pool.slots[index];
      if (block.alive && block.contains(address)) return &block;
    }
    return nullptr;
  }
  if (!in_statics(address)) return nullptr;
  const Block& block = statics_[(address - static_base_) / kStaticBytes];
  return block.alive && block.contains(address) ? &block : nullptr;
}

const Block* Blocks::find_dead(Address address) const {
  if (!in_heap(address)) return nullptr;
  const Pool& pool = pools_[pool_of(address)];
  const auto offset = static_cast<std::uint32_t>((address - heap_base_) % kPoolBytes);
  if (offset < kPoolHeaderBytes || pool.block_bytes == 0) return nullptr;
  const std::uint32_t slot = slot_index(pool, offset);
  return slot < pool.carved && !pool.slots[slot].alive ? &pool.slots[slot] : nullptr;
}

std::uint32_t Blocks::open_pool(std::uint32_t block_bytes) {
  if (open_count_ >= pool_limit_) return kPoolCount;
  Pool& pool = pools_[open_count_];
  pool.block_bytes = block_bytes;
  pool.reciprocal = 65536 / (block_bytes / kAlignment) + 1;
  void* storage = arena_.resource()->allocate(pool.capacity() * sizeof(Block), alignof(Block));
  pool.slots = static_cast<Block*>(storage);
  return open_count_++;
}

const Block* Blocks::slot_near(Address begin) const {
  if (!in_heap(begin)) return nullptr;
  const Pool& pool = pools_[pool_of(begin)];
  if (pool.block_bytes == 0) return nullptr;
  const auto offset =
      static_cast<std::uint32_t>((begin - heap_base_) % kPoolBytes) + pool.block_bytes / 2;
  if (offset < kPoolHeaderBytes) return nullptr;
  const std::uint32_t slot = slot_index(pool, offset);
  return slot < pool.carved ? &pool.slots[slot] : nullptr;
}

Block& Blocks::carve(std::uint32_t index) {
  Pool& pool = pools_[index];
  const Address begin =
      pool_base(index) + kPoolHeaderBytes + Address{pool.carved} * pool.block_bytes;
  Block& block = *new (&pool.slots[pool.carved++]) Block;
  block.begin = begin;
  block.capacity = pool.block_bytes;
  return block;
}

Block& Blocks::add_static(BlockKind kind, std::uint32_t bytes) {
  HARNESS_CHECK(static_count_ < kStaticCount && bytes <= kStaticBytes,
                "the data segment is large enough");
  Block& block = statics_[static_count_];
  block.begin = static_base_ + Address{kStaticBytes} * static_count_++;
  block.bytes = block.capacity = bytes;
  block.kind = kind;
  block.alive = true;
  return block;
}

}  // namespace targets::managed_dict
