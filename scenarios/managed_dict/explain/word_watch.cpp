// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/explain/word_watch.h"

namespace scenarios::managed_dict {

using harness::instruments::HardwareWatch;

void WordWatch::born(Address word) {
  settle();
  if (rota_.wants(born_count_++) && watch_.watch(pointer_to(word), sizeof(std::uint64_t)))
    ++seen_.watched;
}

void WordWatch::died(Address word) {
  settle();
  watch_.forget(pointer_to(word));
}

void WordWatch::stored(Address address, std::uint32_t width) { take(place_of(address), width); }

// A write that changed nothing may be a vector store that did not store to the
// word.
void WordWatch::take(std::uintptr_t store, std::uint32_t width) {
  for (; taken_ < watch_.writes().size(); ++taken_) {
    const HardwareWatch::Write& write = watch_.writes()[taken_];
    const auto place = reinterpret_cast<std::uintptr_t>(write.place);
    const bool is_from_store = store < place + sizeof(std::uint64_t) && place < store + width;
    if (!is_from_store && write.before == write.after) continue;
    ++seen_.writes;
    seen_.unaccounted += !is_from_store;
  }
}

}  // namespace scenarios::managed_dict
