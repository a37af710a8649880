// SPDX-License-Identifier: Apache-2.0
// The table of variants: each row is a policy of the target, by name, with its author's claim. The
// first is the path as shipped.
#include "scenarios/managed_dict/variants.h"

#include "harness/run/scenario/variants.h"

namespace scenarios::managed_dict {
namespace {

using harness::Claim;
using harness::ClaimKind;
using harness::Label;

constexpr Label kWordRead[] = {"word_read"};
constexpr Label kWordCounted[] = {"word_counted", "chunk_freed"};
/// Counted up, the next chunk begins early: its order overwrites the previous block.
constexpr Label kWordCountedUp[] = {"word_counted", "chunk_freed", "order_appended"};
constexpr Label kWordReadOrMet[] = {"word_read", "instance_recycled"};
constexpr Label kFormerInstance[] = {"instance_recycled", "word_read"};
constexpr Label kFormerBlock[] = {"word_read", "value_counted", "chunk_freed", "leak"};
constexpr Label kBlockBefore[] = {"order_appended", "word_read", "chunk_freed", "value_counted",
                                  "leak"};
constexpr Label kTypeModified[] = {"type_modified"};
constexpr Label kValueReleased[] = {"value_released"};
constexpr Label kValueCounted[] = {"value_counted"};

constexpr Claim sound(const char* words) { return {ClaimKind::sound, {}, false, words}; }
constexpr Claim unsound(std::span<const Label> hazards, const char* words) {
  return {ClaimKind::unsound, hazards, false, words};
}

constexpr harness::VariantInfo kVariants[] = {
    {"incref_tagged_word",
     unsound(kWordCountedUp,
             "f1: as shipped, as far as is known: the word is loaded as an owned dict")},
    {"decref_tagged_word", unsound(kWordCounted, "f2: a reference through the word is given up")},
    {"balanced_tagged_count",
     unsound(kWordCountedUp, "f3: taken and given up; sticks where bit 23 of values[0] is set")},
    {"even_tagged_count",
     unsound(kWordCountedUp, "f4: two of a kind; reads back right and never crashes")},
    {"incref_decoded_values", unsound(kValueCounted, "g1: the decoded pointer is counted")},
    {"clear_tag_byte", unsound(kWordRead, "a1: and byte, ~1")},
    {"subtract_from_tag_byte", unsound(kWordReadOrMet, "a2: sub byte, 1")},
    {"move_tag_byte", unsound(kWordRead, "a3: mov byte, 0x96")},
    {"encode_twice", unsound(kWordRead, "b1: SetValues of what is encoded already")},
    {"misdirected_decref",
     unsound(kWordReadOrMet, "b2: DECREF of an object that begins at the word")},
    {"clear_gc_flag_off_header", unsound(kWordRead, "b3: the collector's flag, two words early")},
    {"straddling_store", unsound(kWordRead, "b4: a wide store that means the word before")},
    {"clear_tag_of_two_bytes", unsound(kWordRead, "b5: and word, ~1")},
    {"subtract_from_four_bytes", unsound(kWordReadOrMet, "b6: sub dword, 1")},
    {"store_sixteen_bytes", unsound(kWordRead, "b7: a vector store of two words, the tag gone")},
    {"stale_pointer_store", unsound(kFormerInstance, "c1: through a pointer to a former instance")},
    {"stale_byte_store", unsound(kFormerInstance, "c3: the same, one byte wide")},
    {"stale_memset", unsound(kFormerBlock, "c4: memset of a former block, into the word")},
    {"insertion_order_overrun", unsound(kBlockBefore, "c2: the order grows into the block before")},
    {"release_before_store",
     unsound(kValueReleased, "c5: the old value goes before the new one is stored")},
    {"torn_word_store", unsound(kWordReadOrMet, "e1: a baked word, half patched, is stored")},
    {"stale_cache_value", unsound(kTypeModified, "h1: a cache misses that its type was modified")},
    {"legal_recycle", sound("d0: an instance lives where another did")},
    {"legal_materialise", sound("d1: an instance is given a dict between two stores")},
    {"skip_compilation",
     {ClaimKind::vacuous, {}, false, "the workaround: nothing is compiled, so nothing is shown"}},
    {"inline_values", sound("3.13's layout: no tag, no chunk to free")},
    {"stock", sound("CPython as it is: no one else writes")},
};

}  // namespace

std::span<const harness::VariantInfo> variants() { return kVariants; }

Maker maker_of(std::size_t variant) {
  return harness::find_maker<targets::managed_dict::policies, variants>(variant);
}

}  // namespace scenarios::managed_dict
