// SPDX-License-Identifier: Apache-2.0
// Table of policies: each is one writer.
#include "targets/managed_dict/interpreter.h"
#include "targets/managed_dict/writers/byte.h"
#include "targets/managed_dict/writers/cache.h"
#include "targets/managed_dict/writers/count.h"
#include "targets/managed_dict/writers/legal.h"
#include "targets/managed_dict/writers/release.h"
#include "targets/managed_dict/writers/stray.h"
#include "targets/managed_dict/writers/word.h"

namespace targets::managed_dict {

using harness::Label;
using harness::Runtime;

Label to_label(Status status) {
  static constexpr std::array<Label, 6> kLabels{"ok",         "name_error",   "attribute_error",
                                                "type_error", "memory_error", "driver_error"};
  return kLabels[harness::raw(status)];
}

namespace {

template <class Who>
ManagedDict* make(Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  Core& core = *arena.make<Core>(runtime, setup);
  core.writer = arena.make<Who>(core);
  return arena.make<Interpreter>(core);
}

/// Uses 3.13's layout, whatever the configuration says.
ManagedDict* make_inline(Runtime& runtime, const Setup& setup) {
  Setup inlined = setup;
  inlined.version = Version::cpython313;
  return make<Writer>(runtime, inlined);
}

constexpr Policy kPolicies[] = {
    {"incref_tagged_word", make<IncrefTaggedWord>},
    {"decref_tagged_word", make<DecrefTaggedWord>},
    {"balanced_tagged_count", make<BalancedTaggedCount>},
    {"even_tagged_count", make<EvenTaggedCount>},
    {"incref_decoded_values", make<IncrefDecodedValues>},
    {"clear_tag_byte", make<ClearTagByte>},
    {"subtract_from_tag_byte", make<SubtractFromTagByte>},
    {"move_tag_byte", make<MoveTagByte>},
    {"encode_twice", make<EncodeTwice>},
    {"misdirected_decref", make<MisdirectedDecref>},
    {"clear_gc_flag_off_header", make<ClearGcFlagOffHeader>},
    {"straddling_store", make<StraddlingStore>},
    {"clear_tag_of_two_bytes", make<ClearTagOfTwoBytes>},
    {"subtract_from_four_bytes", make<SubtractFromFourBytes>},
    {"store_sixteen_bytes", make<StoreSixteenBytes>},
    {"stale_pointer_store", make<StalePointerStore>},
    {"stale_byte_store", make<StaleByteStore>},
    {"stale_memset", make<StaleMemset>},
    {"insertion_order_overrun", make<InsertionOrderOverrun>},
    {"release_before_store", make<ReleaseBeforeStore>},
    {"torn_word_store", make<TornWordStore>},
    {"stale_cache_value", make<StaleCacheValue>},
    {"legal_recycle", make<LegalRecycle>},
    {"legal_materialise", make<LegalMaterialise>},
    {"skip_compilation", make<SkipCompilation>},
    {"inline_values", make_inline},
    {"stock", make<Writer>},
};

}  // namespace

std::span<const Policy> policies() { return kPolicies; }

}  // namespace targets::managed_dict
