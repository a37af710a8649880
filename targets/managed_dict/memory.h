// SPDX-License-Identifier: Apache-2.0
// Memory: the modelled process's address space: real bytes, accessed by load and store only.
//
// A load or store outside every live block is the modelled SIGSEGV: the run ends, but this process
// continues. One inside a live block has the hardware's effect, whatever block was meant.
// Ownership: the bytes are in the run's arena. Lifetime: one run. Threads: the run's.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>

#include "harness/driver/runtime.h"
#include "targets/managed_dict/blocks.h"
#include "targets/managed_dict/layout.h"
#include "targets/managed_dict/observer.h"

namespace targets::managed_dict {

/// Addresses chosen by the loader and mmap, which address space randomisation affects.
struct Placement {
  bool heap_bit23 = false;
  bool heap_bit31 = false;
  /// The program is not position independent: its data are at 0x900000, where bit 23 is set.
  bool fixed_program = false;
  /// Maximum number of pools; by default enough for any run.
  std::uint32_t pool_limit = kPoolCount;
};

class Memory {
 public:
  Memory(harness::Runtime& runtime, const Placement& placement, HeapObserver& heap_observer,
         MemoryObserver* memory_observer);

  // ---- what code of the process does ----

  template <class T>
  T load(Address address) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, at(address, sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  void store(Address address, T value) {
    static_assert(std::is_unsigned_v<T>);
    std::byte* bytes = at(address, sizeof(T));
    if (memory_observer_ != nullptr) [[unlikely]] {
      T before;
      std::memcpy(&before, bytes, sizeof(T));
      std::memcpy(bytes, &value, sizeof(T));
      record(address, sizeof(T), before, value);
    } else {
      std::memcpy(bytes, &value, sizeof(T));
    }
  }

  /// One instruction, or one call of memset(), that stores several words. If a byte does not exist,
  /// it crashes and writes nothing.
  void store_bytes(Address address, std::span<const std::byte> bytes);

  /// Returns the bytes at `address`, which must be in live blocks, for reading only.
  template <class T>
  T peek(Address address) const {
    T value;
    std::memcpy(&value, raw(address), sizeof(T));
    return value;
  }

  // ---- what the allocator does with free storage ----

  std::uint64_t load_link(Address address);
  void store_link(Address address, std::uint64_t value);
  void fill(Address address, std::byte value, std::size_t count) {
    std::memset(raw(address), static_cast<int>(value), count);
  }
  bool is_filled(Address address, std::byte value, std::size_t count);

  // ---- the acting module, and observers ----

  Module module() const { return module_; }
  Module exchange_module(Module module) { return std::exchange(module_, module); }
  MemoryObserver* memory_observer() { return memory_observer_; }
  HeapObserver& heap_observer() { return heap_observer_; }
  Counters& counters() { return counters_; }
  harness::Scheduler& scheduler() { return runtime_.scheduler; }
  harness::Ledger& ledger() { return runtime_.host.ledger(); }
  harness::Runtime& runtime() { return runtime_; }

  // ---- what lives where ----

  Blocks& blocks() { return blocks_; }
  const Blocks& blocks() const { return blocks_; }
  const Block* find(Address address) const { return blocks_.find(address); }
  /// Returns the block that malloc() just returned.
  const Block& block_at(Address begin) const { return *blocks_.slot_near(begin); }
  /// Adds an object that exists as long as the process: a type, None.
  Address add_static(BlockKind kind, std::uint32_t bytes);

  /// SIGSEGV: ends the run.
  [[noreturn]] void crash(Address address);
  /// abort() because of the content at `address`: ends the run.
  [[noreturn]] void abort(Address address);

 private:
  /// Returns the bytes at `address`; crashes if they are in no live block.
  std::byte* at(Address address, std::uint32_t width) {
    if (!blocks_.covers(address, width)) [[unlikely]]
      crash(address);
    return raw(address);
  }
  std::byte* raw(Address address) const {
    return blocks_.in_heap(address) ? heap_ + (address - blocks_.heap_base())
                                    : statics_ + (address - blocks_.static_base());
  }
  Crash crash_at(Address address);
  [[noreturn]] void end(const Crash& crash);
  /// The instruction that a store is part of: where it begins, and its width.
  struct Whole {
    Address begin;
    std::size_t bytes;
  };
  void record(Address address, std::uint8_t width, std::uint64_t before, std::uint64_t after) {
    record(address, width, before, after, {address, width});
  }
  void record(Address address, std::uint8_t width, std::uint64_t before, std::uint64_t after,
              Whole whole);
  void store_part(Address address, std::span<const std::byte> bytes, Whole whole);

  harness::Runtime& runtime_;
  HeapObserver& heap_observer_;
  MemoryObserver* memory_observer_;
  Blocks blocks_;
  std::byte* heap_;
  std::byte* statics_;
  Module module_ = Module::interpreter;
  Counters counters_;
};

/// Returns the object in a block: the address that references point at.
constexpr Address object_in(const Block& block) {
  switch (block.kind) {
    case BlockKind::instance:
      return block.begin + kPreheaderBytes;
    case BlockKind::dict:
      return block.begin + kGcHeadBytes;
    default:
      return block.begin;
  }
}

/// Sets the module whose code runs, while it exists.
class ModuleScope {
 public:
  ModuleScope(Memory& memory, Module module)
      : memory_(memory), previous_(memory.exchange_module(module)) {}
  ~ModuleScope() { memory_.exchange_module(previous_); }
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

 private:
  Memory& memory_;
  Module previous_;
};

}  // namespace targets::managed_dict
