// SPDX-License-Identifier: Apache-2.0
// Layout: where CPython 3.11, 3.12 and 3.13 store the attributes of an instance of a plain class.
//
// Offsets are in bytes from the object (the address of ob_refcnt). All three have the dict's word
// at -0x18. Only 3.12 uses one word for values or dict, distinguished by its low bit.
#pragma once

#include <array>
#include <cstdint>

#include "harness/driver/runtime.h"
#include "targets/managed_dict/memory_observer.h"

namespace targets::managed_dict {

enum class Version : std::uint8_t {
  cpython312,  ///< One tagged word: values-1, or a dict, or 0.
  cpython311,  ///< Two words: values at -0x20, the dict at -0x18.
  cpython313,  ///< Values inside the object, a dict at -0x18, no tag.
};
inline constexpr std::array<harness::Label, 3> kVersionLabels{"cpython312", "cpython311",
                                                              "cpython313"};

// ---- objects ----------------------------------------------------------------------------------

inline constexpr std::uint32_t kWord = 8;
inline constexpr std::int32_t kRefcountOffset = 0;
inline constexpr std::int32_t kTypeOffset = 8;
inline constexpr std::int32_t kDigitTagOffset = 16;
inline constexpr std::int32_t kDigitOffset = 24;   ///< Offset of an int's digit, 4 bytes.
inline constexpr std::uint32_t kNumberBytes = 28;  ///< Size of an int: in the 32-byte class, like
                                                   ///< small chunks.

// ---- instances --------------------------------------------------------------------------------

/// Bytes before the object: two words for attributes, two for the collector.
inline constexpr std::uint32_t kPreheaderBytes = 0x20;
inline constexpr std::int32_t kWeakrefOffset =
    -0x20;  ///< 3.12 and 3.13. In 3.11 it is inside the object.
inline constexpr std::int32_t kValuesOffset = -0x20;  ///< 3.11 only.
inline constexpr std::int32_t kWordOffset = -0x18;    ///< The tagged word (3.12), or the dict.
inline constexpr std::int32_t kGcNextOffset = -0x10;
inline constexpr std::int32_t kGcPrevOffset = -0x08;  ///< Its low two bits are flags.

constexpr std::uint32_t basic_bytes(Version version) {
  return version == Version::cpython311 ? 24 : 16;  // 3.11 has the list of weak references inside.
}

// ---- values -----------------------------------------------------------------------------------

/// Maximum number of attributes in a class's shared keys.
inline constexpr std::uint32_t kSharedKeysLimit = 30;

/// Returns the size of the prefix: {insertion order, growing down; count; this size}.
constexpr std::uint32_t prefix_bytes(std::uint32_t size) {
  return (size + 2 + kWord - 1) / kWord * kWord;
}
constexpr std::uint32_t chunk_bytes(std::uint32_t size) {
  return prefix_bytes(size) + size * kWord;
}
static_assert(chunk_bytes(kSharedKeysLimit) <= 512, "pymalloc serves the largest");
static_assert(chunk_bytes(2) == 24, "a class with one attribute, once warm: the 32-byte class");

inline constexpr std::int32_t kPrefixByteOffset = -1;  ///< Offset from values[0].
inline constexpr std::int32_t kCountByteOffset = -2;
inline constexpr std::int32_t kOrderByteOffset =
    -3;  ///< First byte of the order, which grows down.

/// Inline values (3.13): {capacity, size, embedded, valid}, the values, the insertion order.
inline constexpr std::int32_t kInlineCapacityOffset = -8;  ///< Offset from values[0].
inline constexpr std::int32_t kInlineSizeOffset = -7;
inline constexpr std::int32_t kInlineEmbeddedOffset = -6;
inline constexpr std::int32_t kInlineValidOffset = -5;
constexpr std::uint32_t inline_bytes(std::uint32_t size) {
  return kWord + size * kWord + (size + kWord - 1) / kWord * kWord;
}

// ---- the tagged word (3.12) -------------------------------------------------------------------

constexpr bool is_values(std::uint64_t word) { return (word & 1) != 0; }
constexpr Address values_of(std::uint64_t word) { return word + 1; }
constexpr std::uint64_t tagged(Address values) { return values - 1; }

// ---- dicts and types --------------------------------------------------------------------------

/// A dict: {refcnt, type, used, version, keys, values}, preceded by two words of the collector.
inline constexpr std::uint32_t kGcHeadBytes = 16;
inline constexpr std::uint32_t kDictBytes = 48;
inline constexpr std::int32_t kDictUsedOffset = 16;
inline constexpr std::int32_t kDictVersionOffset = 24;
inline constexpr std::int32_t kDictKeysOffset = 32;  ///< Split: the type; combined: a table, or 0.
inline constexpr std::int32_t kDictValuesOffset = 40;  ///< Split: shared values; else 0.

/// A combined dict's table: {capacity, count}, then pairs of key and value.
inline constexpr std::uint32_t kTableHeaderBytes = 16;
constexpr std::uint32_t table_bytes(std::uint32_t capacity) {
  return kTableHeaderBytes + capacity * 2 * kWord;
}
inline constexpr std::uint32_t kTableCapacity = 5;       ///< Initial capacity of a table.
inline constexpr std::uint32_t kTableCapacityMost = 31;  ///< 512 bytes: pymalloc's maximum.

inline constexpr std::int32_t kTypeFlagsOffset = 0xa8;
inline constexpr std::int32_t kTypeVersionOffset = 0xb0;
inline constexpr std::int32_t kTypeDeallocOffset = 0x30;
inline constexpr std::int32_t kTypeAttributeOffset = 0xb8;  ///< `_enabled`, of its dict.
inline constexpr std::uint32_t kTypeBytes = 0xc0;
/// PyDict_Check reads the byte of tp_flags with this bit: address 0xab if the type is null.
inline constexpr std::int32_t kDictSubclassByte = kTypeFlagsOffset + 3;
inline constexpr std::uint8_t kDictSubclassBit = 0x20;

/// 3.12: reference count of an immortal object.
inline constexpr std::uint64_t kImmortal = 0xffffffff;
/// Before 3.12, None has more references than are ever released.
inline constexpr std::uint64_t kEarlyReferences = 1'000'000;
/// References to a class other than those of its instances.
inline constexpr std::uint64_t kTypeReferences = 16;

}  // namespace targets::managed_dict
