// SPDX-License-Identifier: Apache-2.0
// MemoryObserver: the only data that an instrument gets of the interpreter's memory.
//
// A record names the kind of module that acted, its action, the lifetime that it met, and the
// former content. It holds no variant, symbol or source line, so a judgement from records is blind.
#pragma once

#include <cstdint>

#include "harness/driver/runtime.h"

namespace targets::managed_dict {

/// An address in the modelled process, never one of the harness.
using Address = std::uint64_t;

enum class Version : std::uint8_t;

/// Module whose code acts, as derived from a program counter.
enum class Module : std::uint8_t { interpreter, jit, allocator, collector, unknown };
inline constexpr std::size_t kModuleCount = 5;

/// Purpose for which a block was allocated.
enum class BlockKind : std::uint8_t { instance, values, dict, number, table, noise, type, none };
inline constexpr std::size_t kBlockKindCount = 8;

/// One store, after it was done. A store outside every block is a Crash instead.
struct Store {
  harness::Tick tick;
  Module module;
  std::uint8_t width;          ///< Width in bytes, 1 to 8.
  std::uint16_t whole;         ///< Width of the whole instruction, in bytes.
  std::uint16_t part;          ///< Offset of this part in the instruction.
  BlockKind kind;              ///< Kind of the accessed block.
  bool alive;                  ///< Whether that block was alive (the allocator links dead ones).
  harness::BirthId block;      ///< The block that was accessed.
  harness::BirthId neighbour;  ///< Second block of a store that straddles two; else none.
  std::int32_t offset;         ///< From the block's first byte. An instance's object is at
                               ///< 0x20.
  Address address;
  std::uint64_t before;  ///< Former content, `width` bytes.
  std::uint64_t after;   ///< New content, `width` bytes.
};

/// The allocator has allocated a block.
struct Allocation {
  harness::Tick tick;
  BlockKind kind;
  harness::BirthId block;
  harness::BirthId previous;  ///< Previous block in this storage, or none.
  Address address;
  std::uint32_t bytes;  ///< The requested size.
};

/// free() was called. The checks are those of a debug allocator, whether or not one is used.
struct Release {
  harness::Tick tick;
  Module module;
  BlockKind kind;
  bool alive;              ///< Whether the block was alive.
  harness::BirthId block;  ///< The block that owns the storage.
  Address address;         ///< Argument of free().
  Address allocated;       ///< Result of malloc().
  bool padding_intact;     ///< Bytes around the block, which belong to no block.
  bool is_values;          ///< The block is a chunk of values, and `prefix` is valid.
  std::uint8_t prefix;     ///< The byte before values[0].
  bool is_allocated_pointer() const { return address == allocated; }
};

/// A probe at an attribute store, at the place where the report had it. Keyed by address, as in the
/// report, and by birth id, as an allocation counter would give.
struct Probe {
  harness::Tick tick;
  bool compiled;  ///< Called from compiled code.
  Address object;
  harness::BirthId instance;
  harness::BirthId values;  ///< Chunk that the instance got; none if it has a dict.
  std::uint64_t word;       ///< The word at object-0x18.
};

/// The modelled SIGSEGV, or abort(): the run ends.
struct Crash {
  harness::Tick tick;
  Module module;
  Address address;
  harness::BirthId block;  ///< Dead block at that address; or none.
};

/// Compiled code has read a value of a type from its cache.
struct CacheHit {
  harness::Tick tick;
  std::uint32_t line_version;  ///< Version of the type when the line was filled.
  std::uint32_t type_version;  ///< Current version; 0 if modified since.
  harness::BirthId value;      ///< Lifetime that is now at the address; none if it is free.
  Address address;
};

/// Number of executions of each path.
struct Counters {
  std::uint64_t compiled_stores = 0;  ///< StoreAttrCached reached from compiled code.
  std::uint64_t compiled_loads = 0;
  std::uint64_t store_cache_hits = 0;
  std::uint64_t store_cache_misses = 0;
  std::uint64_t load_cache_hits = 0;
  std::uint64_t load_cache_misses = 0;
  std::uint64_t interpreted_stores = 0;
  std::uint64_t compilations = 0;
  std::uint64_t deopts = 0;
  std::uint64_t guard_exits = 0;  ///< Exits of compiled code by a failing guard.
  std::uint64_t invalidations = 0;
  std::uint64_t stale_cache_lines = 0;  ///< Lines that stay filled after their type was modified.
  std::uint64_t materialisations = 0;
  std::uint64_t collections = 0;
  std::uint64_t launches = 0;
};

/// Lifetime: outlives the run. Threads: called by the acting task; has no preemption points.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  /// The heap's bytes, if they are in this process. For watchpoints, never for a record.
  virtual void mapped(Address /*base*/, const std::byte* /*bytes*/) {}
  /// The interpreter's version, before it runs.
  virtual void began(Version) {}
  virtual void stored(const Store&) {}
  virtual void allocated(const Allocation&) {}
  virtual void released(const Release&) {}
  virtual void probed(const Probe&) {}
  virtual void cache_hit(const CacheHit&) {}
  /// An attribute of an instance is about to be loaded.
  virtual void loading() {}
  virtual void crashed(const Crash&) {}
  /// Called at the end of a run that did not crash, and right after crashed() of one that did.
  virtual void ended(const Counters&) {}
};

}  // namespace targets::managed_dict
