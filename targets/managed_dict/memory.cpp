// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/memory.h"

#include <algorithm>

namespace targets::managed_dict {

namespace {

constexpr std::size_t kSlackBytes = 64;  ///< Room for a block that begins and ends too late.

Address heap_base(const Placement& placement) {
  return 0x7f3a'2400'0000 + (placement.heap_bit23 ? 0x80'0000 : 0) +
         (placement.heap_bit31 ? 0x8000'0000 : 0);
}

// A program that is not position independent is at a low address, where bit 23 is set.
Address static_base(const Placement& placement) {
  return placement.fixed_program ? 0x90'0000 : 0x5555'5540'0000;
}

std::byte* allocate(harness::Runtime& runtime, std::size_t bytes) {
  return static_cast<std::byte*>(runtime.scheduler.arena().resource()->allocate(bytes, 64));
}

}  // namespace

Memory::Memory(harness::Runtime& runtime, const Placement& placement, HeapObserver& heap_observer,
               MemoryObserver* memory_observer)
    : runtime_(runtime),
      heap_observer_(heap_observer),
      memory_observer_(memory_observer),
      blocks_(runtime.scheduler.arena(), heap_base(placement), static_base(placement),
              placement.pool_limit),
      heap_(allocate(runtime, kHeapBytes + kSlackBytes)),
      statics_(allocate(runtime, kStaticBytes * kStaticCount)) {
  if (memory_observer_ != nullptr) memory_observer_->mapped(blocks_.heap_base(), heap_);
}

std::uint64_t Memory::load_link(Address address) {
  if (!blocks_.in_heap(address)) crash(address);
  std::uint64_t value;
  std::memcpy(&value, raw(address), sizeof value);
  return value;
}

void Memory::store_link(Address address, std::uint64_t value) {
  if (!blocks_.in_heap(address)) crash(address);
  std::uint64_t before;
  std::memcpy(&before, raw(address), sizeof before);
  std::memcpy(raw(address), &value, sizeof value);
  if (memory_observer_ != nullptr) [[unlikely]]
    record(address, sizeof value, before, value);
}

// Reports the bytes to an observer word by word, because a record holds at most a register.
void Memory::store_bytes(Address address, std::span<const std::byte> bytes) {
  at(address, static_cast<std::uint32_t>(bytes.size()));
  const Whole whole{address, bytes.size()};
  while (!bytes.empty()) {
    const std::size_t room = kWord - address % kWord;
    const std::size_t count = std::min(room, bytes.size());
    store_part(address, bytes.first(count), whole);
    address += count;
    bytes = bytes.subspan(count);
  }
}

void Memory::store_part(Address address, std::span<const std::byte> bytes, Whole whole) {
  std::byte* place = raw(address);
  std::uint64_t before = 0, after = 0;
  std::memcpy(&before, place, bytes.size());
  std::memcpy(&after, bytes.data(), bytes.size());
  std::memcpy(place, bytes.data(), bytes.size());
  if (memory_observer_ != nullptr) [[unlikely]]
    record(address, static_cast<std::uint8_t>(bytes.size()), before, after, whole);
}

bool Memory::is_filled(Address address, std::byte value, std::size_t count) {
  const std::byte* bytes = raw(address);
  return std::all_of(bytes, bytes + count, [&](std::byte byte) { return byte == value; });
}

Address Memory::add_static(BlockKind kind, std::uint32_t bytes) {
  const Block& block = blocks_.add_static(kind, bytes);
  fill(block.begin, std::byte{0}, bytes);
  return block.begin;
}

void Memory::record(Address address, std::uint8_t width, std::uint64_t before, std::uint64_t after,
                    Whole whole) {
  const Block* block = blocks_.find(address);
  if (block == nullptr) block = blocks_.find_dead(address);
  Store store{};
  store.tick = scheduler().now();
  store.module = module_;
  store.width = width;
  store.whole = static_cast<std::uint16_t>(whole.bytes);
  store.part = static_cast<std::uint16_t>(address - whole.begin);
  store.kind = BlockKind::none;
  store.address = address;
  store.before = before;
  store.after = after;
  if (block != nullptr) {
    store.kind = block->kind;
    store.alive = block->alive;
    store.block = block->id;
    store.offset = static_cast<std::int32_t>(address - block->begin);
    if (address + width > block->end())
      if (const Block* next = blocks_.find(block->end())) store.neighbour = next->id;
  }
  memory_observer_->stored(store);
}

Crash Memory::crash_at(Address address) {
  const Block* dead = blocks_.find_dead(address);
  return {scheduler().now(), module_, address, dead != nullptr ? dead->id : harness::BirthId::none};
}

void Memory::crash(Address address) {
  const Crash crash = crash_at(address);
  heap_observer_.crashed(crash);
  end(crash);
}

void Memory::abort(Address address) { end(crash_at(address)); }

void Memory::end(const Crash& crash) {
  if (memory_observer_ != nullptr) {
    memory_observer_->crashed(crash);
    memory_observer_->ended(counters_);
  }
  scheduler().die();
}

}  // namespace targets::managed_dict
