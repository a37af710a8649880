// SPDX-License-Identifier: Apache-2.0
// How it works. A pool's header holds its free list; a free block's first word links to the next
// block. Links are real bytes: a write to a freed block, or a free() of a wrong pointer, corrupts
// the list, and malloc() follows it without a check.
#include "targets/managed_dict/allocator.h"

#include "targets/managed_dict/kept.h"
#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

namespace {

using harness::BirthId;
using harness::Label;

constexpr std::uint32_t kFreeListOffset = 8;  ///< Offset in a pool's header.

constexpr std::array<Label, kBlockKindCount> kKindLabels{"instance", "values", "dict", "int",
                                                         "table",    "noise",  "type", "none"};

std::uint32_t class_of(std::uint32_t bytes) { return (bytes - 1) / kAlignment; }

}  // namespace

harness::Label to_label(BlockKind kind) { return kKindLabels[harness::raw(kind)]; }

std::uint32_t Allocator::pool_with_room(std::uint32_t size_class) {
  const std::uint32_t block_bytes = (size_class + 1) * kAlignment;
  for (std::uint32_t index = 0; index < memory_.blocks().open_count(); ++index)
    if (memory_.blocks().pool(index).block_bytes == block_bytes && has_room(index)) return index;
  const std::uint32_t opened = memory_.blocks().open_pool(block_bytes);
  if (opened != kPoolCount)
    memory_.fill(memory_.blocks().pool_base(opened), std::byte{0}, kPoolHeaderBytes);
  return opened;
}

bool Allocator::has_room(std::uint32_t pool) {
  const Blocks::Pool& blocks = memory_.blocks().pool(pool);
  return memory_.load_link(memory_.blocks().pool_base(pool) + kFreeListOffset) != 0 ||
         blocks.carved < blocks.capacity();
}

Address Allocator::malloc(std::uint32_t bytes, BlockKind kind) {
  HARNESS_CHECK(bytes > 0 && bytes <= kSmallLimit, "pymalloc serves small blocks");
  const ModuleScope module(memory_, Module::allocator);
  std::uint32_t& pool = pools_[class_of(bytes)];
  if (pool == 0 || !has_room(pool - 1)) {
    const std::uint32_t found = pool_with_room(class_of(bytes));
    if (found == kPoolCount) {
      memory_.heap_observer().starved();
      return 0;
    }
    pool = found + 1;
  }
  const Address head = memory_.load_link(memory_.blocks().pool_base(pool - 1) + kFreeListOffset);
  if (head != 0) return hand_out(take_free(pool - 1, head), bytes, kind);
  Block& block = memory_.blocks().carve(pool - 1);
  memory_.fill(block.begin, std::byte{0}, block.capacity);
  return hand_out(block.begin, bytes, kind);
}

// Takes one of the last freed blocks, as far as the links of the list are valid.
Address Allocator::take_free(std::uint32_t pool, Address head) {
  Blocks& blocks = memory_.blocks();
  std::array<Address, kChoiceLimit> links;  // Address of the link to each block.
  std::array<std::uint32_t, kChoiceLimit> values;
  std::uint32_t count = 0;
  Address link = blocks.pool_base(pool) + kFreeListOffset;
  for (Address block = head; count < kChoiceLimit; block = memory_.load_link(block)) {
    const Block* slot = blocks.slot_near(block);
    if (slot == nullptr || slot->alive || blocks.pool_of(block) != pool) break;
    links[count] = link;
    values[count++] = static_cast<std::uint32_t>(slot - blocks.pool(pool).slots) + 1;
    link = block;
  }
  const std::uint32_t chosen = count < 2 ? 0
                                         : memory_.scheduler().picker().pick_value(
                                               harness::Site::reuse, {values.data(), count});
  if (chosen == 0)
    link = blocks.pool_base(pool) + kFreeListOffset;
  else
    link = links[chosen];
  const Address taken = memory_.load_link(link);
  memory_.store_link(link, memory_.load_link(taken));
  return taken;
}

Address Allocator::hand_out(Address address, std::uint32_t bytes, BlockKind kind) {
  Block* block = memory_.blocks().slot_near(address);
  if (block == nullptr) memory_.crash(address);
  harness::Ledger& ledger = memory_.ledger();
  if (block->alive) {  // The free list contains it twice, or overlaps it: the heap is corrupted.
    memory_.heap_observer().handed_out_twice(block->id);
    memory_.abort(address);
  }
  const BirthId previous = block->id;
  if (kind == BlockKind::instance && block->kind == BlockKind::instance) ++recycled_instances_;
  block->begin = address;
  block->bytes = bytes;
  block->kind = kind;
  block->alive = true;
  block->id = ledger.born(to_label(kind), address, bytes, previous);
  memory_.fill(address + bytes, kPadding, padding_bytes(*block));
  if (memory_.memory_observer() != nullptr) [[unlikely]]
    memory_.memory_observer()->allocated(
        {memory_.scheduler().now(), kind, block->id, previous, address, bytes});
  return address;
}

// Ends at the block's own slot, wherever in it the block begins.
std::uint32_t Allocator::padding_bytes(const Block& block) {
  const Blocks& blocks = memory_.blocks();
  const Address base = blocks.pool_base(blocks.pool_of(block.begin)) + kPoolHeaderBytes;
  const Address used_end = block.begin + block.bytes - base;
  const Address slot_end = (used_end + block.capacity - 1) / block.capacity * block.capacity;
  return static_cast<std::uint32_t>(
      std::min<Address>(slot_end - used_end, block.capacity - block.bytes));
}

void Allocator::free(Address address) { free(address, false, 0); }

void Allocator::free_values(Address values) {
  const auto prefix = memory_.load<std::uint8_t>(values - 1);
  free(values - prefix, true, prefix);
}

// Like pymalloc, accepts any address and continues.
void Allocator::free(Address address, bool is_values, std::uint8_t prefix) {
  const Module caller = memory_.module();
  const ModuleScope module(memory_, Module::allocator);
  Block* block = memory_.blocks().slot_near(address);
  if (block == nullptr) memory_.crash(address);
  const bool intact =
      memory_.is_filled(block->begin + block->bytes, kPadding, padding_bytes(*block));
  const Release release{memory_.scheduler().now(),
                        caller,
                        block->kind,
                        block->alive,
                        block->id,
                        address,
                        block->begin,
                        intact,
                        is_values,
                        prefix};
  if (memory_.memory_observer() != nullptr) [[unlikely]]
    memory_.memory_observer()->released(release);
  memory_.heap_observer().released(release);
  if (keeps_block(memory_, *block)) return;
  if (block->alive) memory_.ledger().died(block->id);
  block->alive = false;
  const Address list =
      memory_.blocks().pool_base(memory_.blocks().pool_of(address)) + kFreeListOffset;
  memory_.store_link(address, memory_.load_link(list));
  memory_.store_link(list, address);
}

}  // namespace targets::managed_dict
