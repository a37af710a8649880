// SPDX-License-Identifier: Apache-2.0
// MemoryObserver: what an instrument may see of the interpreter's memory, and nothing more.
//
// A record names the kind of module that acted, what it did to which lifetime, and the former
// content. It holds no variant, no symbol and no source line, so a judgement from records is blind.
#pragma once

#include <cstdint>

#include "harness/runtime.h"

namespace targets::managed_dict {

/// An address in the modelled process. Never one of ours.
using Address = std::uint64_t;

enum class Version : std::uint8_t;

/// The module whose code acts, as derived from a program counter.
enum class Module : std::uint8_t { interpreter, jit, allocator, collector, unknown };
inline constexpr std::size_t kModuleCount = 5;

/// The use that a block was allocated for.
enum class BlockKind : std::uint8_t { instance, values, dict, number, table, noise, type, none };
inline constexpr std::size_t kBlockKindCount = 8;

/// One store, after it was done. If it meets no block, the run ends with a Crash instead.
struct Store {
  harness::Tick tick;
  Module module;
  std::uint8_t width;          ///< Width in bytes, 1 to 8.
  std::uint16_t whole;         ///< Width of the instruction, which may store more than this,
  std::uint16_t part;          ///< and where in it this begins.
  BlockKind kind;              ///< Kind of the block that was met.
  bool alive;                  ///< Whether that block was (the allocator links dead ones).
  harness::BirthId block;      ///< The block that was accessed.
  harness::BirthId neighbour;  ///< Met as well by a store that straddles two blocks; else none.
  std::int32_t offset;  ///< Offset from the block's first byte; an instance's object begins at
                        ///< 0x20.
  Address address;
  std::uint64_t before;  ///< `width` bytes, as they were,
  std::uint64_t after;   ///< and as they are now.
};

/// The allocator handed a block out.
struct Allocation {
  harness::Tick tick;
  BlockKind kind;
  harness::BirthId block;
  harness::BirthId previous;  ///< The block that had this storage before, or none.
  Address address;
  std::uint32_t bytes;  ///< The requested size.
};

/// free() was called. What a debug allocator would check is checked in either case.
struct Release {
  harness::Tick tick;
  Module module;
  BlockKind kind;
  bool alive;              ///< Whether the block was, until now.
  harness::BirthId block;  ///< The block that owns the storage.
  Address address;         ///< The address that was passed.
  Address allocated;       ///< The address that malloc() returned.
  bool padding_intact;     ///< The bytes around the block that belong to no block.
  bool is_values;          ///< A chunk of values: the next one is its prefix.
  std::uint8_t prefix;     ///< The byte before values[0].
  bool is_allocated_pointer() const { return address == allocated; }
};

/// A probe at an attribute store, as the report placed it: keyed by address in the report, and by
/// birth id for an allocation counter.
struct Probe {
  harness::Tick tick;
  bool compiled;  ///< Reached from compiled code.
  Address object;
  harness::BirthId instance;
  harness::BirthId values;  ///< The chunk that the instance was given; none when it has a dict.
  std::uint64_t word;       ///< The word at object-0x18.
};

/// The modelled SIGSEGV, or abort(): the run ends.
struct Crash {
  harness::Tick tick;
  Module module;
  Address address;
  harness::BirthId block;  ///< Dead, and at that address; or none.
};

/// Compiled code took a value of a type from its cache.
struct CacheHit {
  harness::Tick tick;
  std::uint32_t line_version;  ///< Version of the type when the line was filled.
  std::uint32_t type_version;  ///< Version of the type now; 0 when it was modified since.
  harness::BirthId value;      ///< The lifetime that has the address now; none if it is free.
  Address address;
};

/// How often each path really ran.
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
  std::uint64_t guard_exits = 0;  ///< Compiled code left by a guard that failed.
  std::uint64_t invalidations = 0;
  std::uint64_t stale_cache_lines = 0;  ///< Lines that answer for a type after it was modified.
  std::uint64_t materialisations = 0;
  std::uint64_t collections = 0;
  std::uint64_t launches = 0;
};

/// Lifetime: outlives the run. Threads: called by the task that acts; must not turn.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  /// If the heap's bytes are in this process: for watchpoints, never for a record.
  virtual void mapped(Address /*base*/, const std::byte* /*bytes*/) {}
  /// Which interpreter this is, before it runs.
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
