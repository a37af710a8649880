// SPDX-License-Identifier: Apache-2.0
// Evidence: what the instruments recorded of one run. A diagnosis is made from it alone.
//
// Blinded: no variant, no symbol and no source line of the writer. A store is the kind of module
// that did it, its width, place and value; a lifetime is a number; the rest are checks and
// counters. The real interpreter (embedded/) gives the same record as the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/scenario.h"
#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

/// Sources from which a person can learn of a run, one instrument each. Each can be left out of a
/// diagnosis.
enum class Instrument : std::uint8_t {
  write_watch,         ///< Writes to the word at obj-0x18: by instrumented stores, and by hardware.
  allocation_counter,  ///< Birth ids at every probe: of the instance, its chunk, its values.
  debug_allocator,     ///< Arguments of free(), and bytes around a block when it is freed.
  path_counters,       ///< How often the compiled paths ran, and with what they remembered.
  crash_report,        ///< The report that all has, and AddressSanitizer over pymalloc has no more
                       ///< than.
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

/// The module whose code it was, as derived from a program counter.
enum class Writer : std::uint8_t { jit, interpreter, allocator, unknown };
harness::Label to_label(Writer writer);

/// When something was recorded: counts up over all instruments of a run.
using Order = std::uint32_t;

/// A store that touched the word of a live instance.
struct WordWrite {
  Order order;
  Writer writer;
  std::uint16_t width;  ///< Width in bytes of the instruction, or of the call of memset().
  std::int16_t offset;  ///< Offset of its first byte, from the word's.
  std::uint32_t instance;
  std::uint64_t before;  ///< The bytes of the word that it covers; others are 0, or equal.
  std::uint64_t after;
  bool operator==(const WordWrite&) const = default;
};

/// A value that has nothing to do with the object that it pointed at, or with another one.
inline constexpr std::int32_t kAtNoObject = 1 << 30;

/// An attribute store was about to happen, and the probe looked at the instance.
struct Sighting {
  Order order;
  bool compiled;
  std::uint32_t place;  ///< Which address: numbered in the order of their first sighting. 0: the
                        ///< chunk was looked at when it went, and no instance.
  std::uint32_t instance;
  std::uint32_t chunk;  ///< 0: none.
  std::uint64_t word;
  /// How far beside the start of an object one of the values points; 0: none does.
  std::int32_t value_shift;  ///< Or kAtNoObject.
  bool operator==(const Sighting&) const = default;
};

/// Something that a debug allocator does not let pass: PYTHONMALLOC=debug, or malloc's own checks.
/// It sees no store: only what free() is given, and what the bytes around that block are by then.
struct BlockFinding {
  enum class Kind : std::uint8_t {
    freed_beside,  ///< free() got a pointer that malloc() never returned; `shift` beside one.
    overrun,       ///< Bytes around the block, which belong to none, were written.
    freed_again,   ///< free() of a block that has no owner.
  };
  Order order;
  Kind kind;
  std::int32_t shift;
  std::uint32_t block;
  bool operator==(const BlockFinding&) const = default;
};
harness::Label to_label(BlockFinding::Kind kind);

/// How the run crashed, if it did: what all sees.
struct CrashSeen {
  Order order;
  std::uint64_t address;
  bool of_freed_memory;  ///< AddressSanitizer without pymalloc would call it a use after free.
  bool beside_chunk;     ///< A few bytes below a chunk, where its insertion order would grow to.
  bool operator==(const CrashSeen&) const = default;
};

/// Additions of the hardware watchpoints. Evidence only.
struct HardwareSeen {
  std::string why_not;            ///< Empty where the machine has them.
  std::uint32_t instances = 0;    ///< That were born,
  std::uint32_t watched = 0;      ///< and that were watched, over all repetitions.
  std::uint32_t writes = 0;       ///< To their words,
  std::uint32_t unaccounted = 0;  ///< and not seen by the instrumented stores.
};

struct Evidence {
  targets::managed_dict::Version version = targets::managed_dict::Version::cpython312;
  std::vector<WordWrite> word_writes;
  std::vector<Sighting> sightings;
  std::vector<BlockFinding> findings;
  std::uint32_t checked_frees = 0;
  std::uint64_t lost_writes = 0;  ///< Writes to words that the hardware saw and that are not here.
  targets::managed_dict::Counters counters;
  std::optional<CrashSeen> crash;
  HardwareSeen hardware;

  /// One line each, in the order in which it was recorded.
  std::vector<std::string> lines() const;
};

/// Which class of writer did it, from the evidence of all instruments but `without`.
harness::Diagnosis diagnose(const Evidence& evidence, harness::InstrumentSet without = 0);

}  // namespace scenarios::managed_dict
