// SPDX-License-Identifier: Apache-2.0
// Evidence: the instruments' record of one run. A diagnosis is made from it alone.
//
// Blinded: it has no variant, symbol or source line of the writer. A store has the kind of module
// that did it, its width, place and value; a lifetime is a number; the rest are checks and
// counters. The real interpreter (tests/embedded/) gives the same record as the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/run/scenario/scenario.h"
#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

/// Instruments from which a person can learn about a run. Each can be left out of a
/// diagnosis.
enum class Instrument : std::uint8_t {
  write_watch,         ///< Writes to the word at obj-0x18: instrumented stores, and hardware.
  allocation_counter,  ///< Birth ids at each probe: of the instance, its chunk, its values.
  debug_allocator,     ///< Arguments of free(), and bytes around a block when it is freed.
  path_counters,       ///< Executions of the compiled paths, and the state of their caches.
  crash_report,        ///< Always available; AddressSanitizer over pymalloc has no more than
                       ///< this.
};
inline constexpr std::array<harness::InstrumentInfo, 5> kInstruments{{
    {"write_watch", "who writes to an instance's word at obj-0x18, and what"},
    {"allocation_counter", "birth ids of instances, chunks and values at every attribute store"},
    {"debug_allocator",
     "whether free() gets what malloc() returned, once, with nothing written around it"},
    {"path_counters",
     "how often the compiled paths really ran, and from which state of their caches"},
    {"crash_report", "where it crashed, as AddressSanitizer over pymalloc would print it"},
}};
constexpr harness::InstrumentSet instrument_bit(Instrument instrument) {
  return harness::InstrumentSet{1} << harness::raw(instrument);
}

/// Module that contains the writing code, as derived from a program counter.
enum class Writer : std::uint8_t { jit, interpreter, allocator, unknown };
harness::Label to_label(Writer writer);

/// Position in the record: counts over all instruments of a run.
using Order = std::uint32_t;

/// A store that touched the word of a live instance.
struct WordWrite {
  Order order;
  Writer writer;
  std::uint16_t width;  ///< In bytes, of the instruction or the call of memset().
  std::int16_t offset;  ///< From the word's first byte to the store's.
  std::uint32_t instance;
  std::uint64_t before;  ///< Bytes of the word that it covers; others are 0, or equal.
  std::uint64_t after;
  bool operator==(const WordWrite&) const = default;
};

/// A value that is unrelated to the object that it pointed at, and to any other object.
inline constexpr std::int32_t kAtNoObject = 1 << 30;

/// A probe has examined an instance before an attribute store.
struct Sighting {
  Order order;
  bool compiled;
  std::uint32_t place;  ///< Number of the address, by first sighting. 0: a chunk was examined when
                        ///< it was freed, not an instance.
  std::uint32_t instance;
  std::uint32_t chunk;  ///< 0 if none.
  std::uint64_t word;
  /// Distance from one of the values to the start of an object; 0 if all are right. Or kAtNoObject.
  std::int32_t value_shift;  ///< Or kAtNoObject.
  bool operator==(const Sighting&) const = default;
};

/// A check of a debug allocator failed: PYTHONMALLOC=debug, or malloc's own checks. It sees no
/// store, only the argument of free() and the bytes around that block at that time.
struct BlockFinding {
  enum class Kind : std::uint8_t {
    freed_beside,  ///< free() got a pointer at distance `shift` from one that malloc() returned.
    overrun,       ///< Bytes around the block, which belong to no block, were written.
    freed_again,   ///< free() of a block that was already freed.
  };
  Order order;
  Kind kind;
  std::int32_t shift;
  std::uint32_t block;
  bool operator==(const BlockFinding&) const = default;
};
harness::Label to_label(BlockFinding::Kind kind);

/// The crash of a run. Always available.
struct CrashSeen {
  Order order;
  std::uint64_t address;
  bool of_freed_memory;  ///< AddressSanitizer without pymalloc would report a use-after-free.
  bool beside_chunk;     ///< A few bytes below a chunk, into which its insertion order would grow.
  bool operator==(const CrashSeen&) const = default;
};

/// Additional results of hardware watchpoints. Evidence only.
struct HardwareSeen {
  std::string why_not;            ///< Reason if the machine has none; else empty.
  std::uint32_t instances = 0;    ///< Number of instances.
  std::uint32_t watched = 0;      ///< Instances that were watched, over all repetitions.
  std::uint32_t writes = 0;       ///< Writes to the words of watched instances.
  std::uint32_t unaccounted = 0;  ///< Writes that were not instrumented stores.
};

struct Evidence {
  targets::managed_dict::Version version = targets::managed_dict::Version::cpython312;
  std::vector<WordWrite> word_writes;
  std::vector<Sighting> sightings;
  std::vector<BlockFinding> findings;
  std::uint32_t checked_frees = 0;
  std::uint64_t lost_writes = 0;  ///< Writes to words that the hardware saw but did not record.
  targets::managed_dict::Counters counters;
  std::optional<CrashSeen> crash;
  HardwareSeen hardware;

  /// Returns one line for each, in the order of the record.
  std::vector<std::string> lines() const;
};

/// Returns the class of writer, from the evidence of all instruments except `without`.
harness::Diagnosis diagnose(const Evidence& evidence, harness::InstrumentSet without = 0);

}  // namespace scenarios::managed_dict
