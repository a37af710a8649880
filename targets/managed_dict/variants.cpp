// The table of variants: one writer each, with what its author claims.
#include "targets/managed_dict/byte_writers.h"
#include "targets/managed_dict/cache_writers.h"
#include "targets/managed_dict/count_writers.h"
#include "targets/managed_dict/legal_writers.h"
#include "targets/managed_dict/program.h"
#include "targets/managed_dict/stray_writers.h"
#include "targets/managed_dict/word_writers.h"

namespace targets::managed_dict {

using harness::Claim;
using harness::ClaimKind;
using harness::Label;
using harness::Runtime;
using harness::Variant;

harness::Label to_label(Status status) {
  static constexpr std::array<Label, 6> kLabels{"ok",         "name_error",   "attribute_error",
                                                "type_error", "memory_error", "driver_error"};
  return kLabels[harness::raw(status)];
}

namespace {

template <class Policy>
ManagedDict* make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  core.writer = arena.make<Policy>(core);
  return arena.make<Program>(core);
}

/// 3.13's layout, whatever the config says.
ManagedDict* make_inline(Runtime& runtime, const Setup& setup) {
  Setup inlined = setup;
  inlined.version = Version::cpython313;
  return make<Writer>(runtime, inlined);
}

constexpr Label kWordRead[] = {"word_read"};
constexpr Label kWordCounted[] = {"word_counted", "chunk_freed"};
/// Counted up, the next chunk begins early: its order is written into the block before.
constexpr Label kWordCountedUp[] = {"word_counted", "chunk_freed", "order_appended"};
constexpr Label kWordReadOrMet[] = {"word_read", "instance_recycled"};
constexpr Label kFormerInstance[] = {"instance_recycled", "word_read"};
constexpr Label kBlockBefore[] = {"order_appended", "word_read", "chunk_freed", "value_counted", "retention"};
constexpr Label kTypeModified[] = {"type_modified"};
constexpr Label kValueCounted[] = {"value_counted"};

constexpr Claim sound(const char* words) { return {ClaimKind::sound, {}, false, words}; }
constexpr Claim unsound(std::span<const Label> hazards, const char* words) {
  return {ClaimKind::unsound, hazards, false, words};
}

constexpr Variant<ManagedDict, const Setup&> kVariants[] = {
    {"incref_tagged_word",
     unsound(kWordCountedUp,
             "f1: as shipped, as far as is known: the word is loaded as an owned dict"),
     make<IncrefTaggedWord>},
    {"decref_tagged_word", unsound(kWordCounted, "f2: a reference through the word is given up"),
     make<DecrefTaggedWord>},
    {"balanced_tagged_count",
     unsound(kWordCountedUp, "f3: taken and given up; sticks where bit 23 of values[0] is set"),
     make<BalancedTaggedCount>},
    {"even_tagged_count",
     unsound(kWordCountedUp, "f4: two of a kind; reads back right and never crashes"),
     make<EvenTaggedCount>},
    {"incref_decoded_values", unsound(kValueCounted, "g1: the decoded pointer is counted"),
     make<IncrefDecodedValues>},
    {"clear_tag_byte", unsound(kWordRead, "a1: and byte, ~1"), make<ClearTagByte>},
    {"subtract_from_tag_byte", unsound(kWordReadOrMet, "a2: sub byte, 1"), make<SubtractFromTagByte>},
    {"move_tag_byte", unsound(kWordRead, "a3: mov byte, 0x96"), make<MoveTagByte>},
    {"encode_twice", unsound(kWordRead, "b1: SetValues of what is encoded already"),
     make<EncodeTwice>},
    {"misdirected_decref", unsound(kWordReadOrMet, "b2: DECREF of an object that begins at the word"),
     make<MisdirectedDecref>},
    {"clear_gc_flag_off_header", unsound(kWordRead, "b3: the collector's flag, two words early"),
     make<ClearGcFlagOffHeader>},
    {"straddling_store", unsound(kWordRead, "b4: a wide store that means the word before"),
     make<StraddlingStore>},
    {"stale_pointer_store",
     unsound(kFormerInstance, "c1: through a pointer to a former instance"),
     make<StalePointerStore>},
    {"insertion_order_overrun",
     unsound(kBlockBefore, "c2: the order grows into the block before"),
     make<InsertionOrderOverrun>},
    {"stale_cache_value", unsound(kTypeModified, "e1: a cache misses that its type was modified"),
     make<StaleCacheValue>},
    {"legal_recycle", sound("d0: an instance lives where another did"), make<LegalRecycle>},
    {"legal_materialise", sound("d1: an instance is given a dict between two stores"),
     make<LegalMaterialise>},
    {"skip_compilation",
     {ClaimKind::vacuous, {}, false, "the workaround: nothing is compiled, so nothing is shown"},
     make<SkipCompilation>},
    {"inline_values", sound("3.13's layout: no tag, no chunk to free"), make_inline},
    {"stock", sound("CPython as it is: nobody else writes"), make<Writer>},
};

}  // namespace

std::span<const Variant<ManagedDict, const Setup&>> variants() { return kVariants; }

}  // namespace targets::managed_dict
