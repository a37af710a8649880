// Layout: where CPython 3.11, 3.12 and 3.13 keep the attributes of an instance of a plain class.
//
// In bytes, from the object (where ob_refcnt is). All three put the dict's word at -0x18; 3.12
// alone lets one word mean either, told apart by its low bit.
#pragma once

#include <array>
#include <cstdint>

#include "harness/runtime.h"
#include "targets/managed_dict/observer.h"

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
inline constexpr std::int32_t kNumberOffset = 24;  ///< The digit of an int; lv_tag is at 16.
inline constexpr std::uint32_t kNumberBytes = 32;  ///< As ints are allocated.

// ---- instances --------------------------------------------------------------------------------

/// What lies before the object: two words of this feature, two of the collector's.
inline constexpr std::uint32_t kPreheaderBytes = 0x20;
inline constexpr std::int32_t kWeakrefOffset =
    -0x20;  ///< 3.12, 3.13. In 3.11 it is inside the object.
inline constexpr std::int32_t kValuesOffset = -0x20;  ///< 3.11 only.
inline constexpr std::int32_t kWordOffset = -0x18;    ///< The tagged word (3.12), or the dict's.
inline constexpr std::int32_t kGcNextOffset = -0x10;
inline constexpr std::int32_t kGcPrevOffset = -0x08;  ///< Its low two bits are flags.

constexpr std::uint32_t basic_bytes(Version version) {
  return version == Version::cpython311 ? 24 : 16;  // 3.11 keeps the weak references' list inside.
}

// ---- values -----------------------------------------------------------------------------------

/// Attributes that a class's shared keys have room for.
inline constexpr std::uint32_t kSharedKeysLimit = 30;

/// The bytes before values[0]: {insertion order, growing down; how many; this number}.
constexpr std::uint32_t prefix_bytes(std::uint32_t size) {
  return (size + 2 + kWord - 1) / kWord * kWord;
}
constexpr std::uint32_t chunk_bytes(std::uint32_t size) {
  return prefix_bytes(size) + size * kWord;
}
static_assert(chunk_bytes(2) == 24, "a class with one attribute, once warm: the 32-byte class");

inline constexpr std::int32_t kPrefixByteOffset = -1;  ///< From values[0].
inline constexpr std::int32_t kCountByteOffset = -2;
inline constexpr std::int32_t kOrderByteOffset = -3;  ///< ... and down.

/// Inline values (3.13) begin with {capacity, size, embedded, valid, order...}.
inline constexpr std::int32_t kInlineCapacity = 0;
inline constexpr std::int32_t kInlineSize = 1;
inline constexpr std::int32_t kInlineEmbedded = 2;
inline constexpr std::int32_t kInlineValid = 3;
inline constexpr std::int32_t kInlineOrder = 4;
constexpr std::uint32_t inline_header_bytes(std::uint32_t size) {
  return (kInlineOrder + size + kWord - 1) / kWord * kWord;
}

// ---- the tagged word (3.12) -------------------------------------------------------------------

constexpr bool is_values(std::uint64_t word) { return (word & 1) != 0; }
constexpr Address values_of(std::uint64_t word) { return word + 1; }
constexpr std::uint64_t tagged(Address values) { return values - 1; }

// ---- dicts and types --------------------------------------------------------------------------

/// A dict object, its hash table folded into it: {refcnt, type, used, version, keys, values...}.
inline constexpr std::int32_t kDictUsedOffset = 16;
inline constexpr std::int32_t kDictKeysOffset = 32;    ///< The shared keys' owner; 0 when combined.
inline constexpr std::int32_t kDictValuesOffset = 40;  ///< Split: the values taken over.

inline constexpr std::int32_t kTypeFlagsOffset = 0xa8;
inline constexpr std::int32_t kTypeVersionOffset = 0xb0;
inline constexpr std::uint32_t kTypeBytes = 0xc0;
/// PyDict_Check looks at the byte of tp_flags that holds this one: address 0xab of a null type.
inline constexpr std::int32_t kDictSubclassByte = kTypeFlagsOffset + 3;
inline constexpr std::uint8_t kDictSubclassBit = 0x20;

/// 3.12: what an immortal's count looks like.
inline constexpr std::uint64_t kImmortal = 0xffffffff;

}  // namespace targets::managed_dict
