// SPDX-License-Identifier: Apache-2.0
// How it works. Stores are evidence only if they write to the word of a live instance: the write
// watch. The debug allocator checks a block when it is freed. A probe reads the values from a copy,
// which is built from the stores to them.
#include "scenarios/managed_dict/explain/recorder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

namespace scenarios::managed_dict {

using namespace targets::managed_dict;  // For the target's records.

namespace {

/// More records of a kind add nothing to a diagnosis.
constexpr std::size_t kKeepLimit = 4096;
/// A reference count changes a word by at most this much.
constexpr std::int64_t kCountReach = 8;

std::uint32_t number(harness::BirthId id) { return harness::raw(id); }

Writer writer_of(Module module) {
  switch (module) {
    case Module::jit:
      return Writer::jit;
    case Module::allocator:
      return Writer::allocator;
    case Module::unknown:
      return Writer::unknown;
    case Module::interpreter:
    case Module::collector:
      break;
  }
  return Writer::interpreter;
}

/// Returns the offsets of an instance's watched words from the start of its block: 3.11 has two.
std::span<const std::int32_t> word_offsets(Version version) {
  constexpr auto kBefore = static_cast<std::int32_t>(kPreheaderBytes);
  static constexpr std::array<std::int32_t, 2> kOffsets{kBefore + kWordOffset,
                                                        kBefore + kValuesOffset};
  return {kOffsets.data(), version == Version::cpython311 ? 2U : 1U};
}

bool overlaps(std::int32_t offset, std::uint32_t width, std::int32_t begin, std::int32_t end) {
  return offset < end && offset + static_cast<std::int32_t>(width) > begin;
}

/// Returns the whole word at `word` before or after a store that covers part of it. The other
/// bytes, which are not recorded, are 0.
std::uint64_t word_with(std::uint64_t bytes, std::int32_t store_offset, std::int32_t word) {
  const std::int32_t shift = (store_offset - word) * 8;
  return shift >= 0 ? bytes << shift : bytes >> -shift;
}

}  // namespace

// Finds the values in a block of this kind and size: in a chunk, or inside an instance.
void Recorder::Life::place_values(Version version) {
  for (std::uint32_t size = 0; size <= kSharedKeysLimit; ++size) {
    const std::uint32_t before = kPreheaderBytes + basic_bytes(version);
    const bool is_chunk = kind == BlockKind::values && chunk_bytes(size) == bytes;
    const bool is_inline = kind == BlockKind::instance && version == Version::cpython313 &&
                           before + inline_bytes(size) == bytes;
    if (!is_chunk && !is_inline) continue;
    first = is_chunk ? prefix_bytes(size) : before + kWord;
    last = first + size * kWord;
    copy.resize(bytes);
    last_right.resize(size);
    return;
  }
}

// Inline values store their own number, and stay when a dict has taken over their
// references.
std::size_t Recorder::Life::value_count() const {
  if (kind == BlockKind::values || copy.empty()) return last_right.size();
  if (copy[first + kInlineValidOffset] == 0) return 0;
  return std::min<std::size_t>(last_right.size(), copy[first + kInlineCapacityOffset]);
}

Recorder::Life* Recorder::find(harness::BirthId id) {
  const auto found = lives_.find(id);
  return found != lives_.end() ? &found->second : nullptr;
}

// Objects that exist as long as the process are unknown, but they are aligned.
bool Recorder::is_object(Address address) const {
  auto after = by_address_.upper_bound(address);
  if (after != by_address_.begin()) {
    const Life& life = lives_.at(std::prev(after)->second);
    if (address - life.begin < life.bytes) return address == object_in(life);
  }
  return address % kWord == 0;
}

void Recorder::mapped(Address base, const std::byte* bytes) {
  if (watch_ != nullptr) watch_->mapped(base, bytes);
}

void Recorder::allocated(const Allocation& allocation) {
  ++order_;
  if (watch_ != nullptr && allocation.kind == BlockKind::instance)
    watch_->born(allocation.address + static_cast<Address>(word_offsets(evidence_.version)[0]));
  Life life{{.begin = allocation.address,
             .bytes = allocation.bytes,
             .id = allocation.block,
             .kind = allocation.kind,
             .alive = true}};
  life.place_values(evidence_.version);
  instance_count_ += allocation.kind == BlockKind::instance;
  // A former block here was freed, or never freed by its own address.
  const auto last = by_address_.lower_bound(allocation.address + allocation.bytes);
  auto first = by_address_.lower_bound(allocation.address);
  while (first != last) {
    lives_.erase(first->second);
    first = by_address_.erase(first);
  }
  by_address_[allocation.address] = allocation.block;
  lives_[allocation.block] = std::move(life);
}

void Recorder::stored(const Store& store) {
  ++order_;
  if (watch_ != nullptr) watch_->stored(store.address, store.width);
  Life* life = store.alive ? find(store.block) : nullptr;
  if (life == nullptr) return;  // No block, or one that exists as long as the process.
  if (store.kind == BlockKind::instance) stored_in_word(store);
  if (!life->copy.empty()) stored_in_values(store, *life);
}

void Recorder::stored_in_word(const Store& store) {
  for (const std::int32_t word : word_offsets(evidence_.version)) {
    if (!overlaps(store.offset, store.width, word, word + static_cast<std::int32_t>(kWord)))
      continue;
    if (evidence_.word_writes.size() >= kKeepLimit) return;
    const std::int32_t begin = store.offset - store.part - word;
    evidence_.word_writes.push_back({order_, writer_of(store.module), store.whole,
                                     static_cast<std::int16_t>(begin), number(store.block),
                                     word_with(store.before, store.offset, word),
                                     word_with(store.after, store.offset, word)});
  }
}

void Recorder::word_written(const Store& store, std::int16_t begin) {
  ++order_;
  if (find(store.block) == nullptr || evidence_.word_writes.size() >= kKeepLimit) return;
  evidence_.word_writes.push_back({order_, writer_of(store.module), store.whole, begin,
                                   number(store.block), store.before, store.after});
}

// A probe reads the copy. The width of a stray count tells its direction, for the embedded
// interpreter: a 4-byte store counts up, an 8-byte one down.
void Recorder::stored_in_values(const Store& store, Life& life) {
  const auto first = static_cast<std::int32_t>(life.first);
  const std::int32_t end = store.offset + store.width;
  if (store.offset >= 0 && static_cast<std::size_t>(end) <= life.copy.size())
    std::memcpy(life.copy.data() + store.offset, &store.after, store.width);
  if (store.offset >= first && store.offset < static_cast<std::int32_t>(life.last)) {
    if (store.width == 4) strays_.push_back({load_count_, "incref_values"});
    return note_value(store, life);
  }
  constexpr harness::Label kUp = "incref", kDown = "decref";
  const bool counted = life.kind == BlockKind::values && store.offset == first - 1;
  if (counted && store.width != 1) strays_.push_back({load_count_, store.width == 4 ? kUp : kDown});
}

// Records the object that an attribute store has written.
void Recorder::note_value(const Store& store, Life& life) {
  const auto offset = static_cast<std::uint32_t>(store.offset) - life.first;
  if (store.width == kWord && offset % kWord == 0 && is_object(store.after))
    life.last_right[offset / kWord] = store.after;
}

void Recorder::released(const Release& release) {
  ++order_;
  const auto shift = static_cast<std::int32_t>(release.address - release.allocated);
  BlockFinding finding{order_, BlockFinding::Kind::freed_beside, shift, number(release.block)};
  evidence_.checked_frees += release.is_values;
  if (release.block == harness::BirthId::none || find(release.block) == nullptr) {
    finding.kind = BlockFinding::Kind::freed_again;
    add(finding);
    return;
  }
  if (!release.is_allocated_pointer()) {
    add(finding);
  } else if (!release.padding_intact) {
    finding.kind = BlockFinding::Kind::overrun;
    add(finding);
  }
  const Life& life = *find(release.block);
  look_at(life);
  if (watch_ != nullptr && life.kind == BlockKind::instance)
    watch_->died(life.begin + static_cast<Address>(word_offsets(evidence_.version)[0]));
  by_address_.erase(life.begin);
  lives_.erase(release.block);
}

// Returns how far a value points from the object that it pointed at. If it points to something
// unrelated, it was overwritten, not counted.
std::int32_t Recorder::value_shift(harness::BirthId chunk) {
  Life* life = find(chunk);
  if (life == nullptr) return 0;
  std::int32_t found = 0;
  for (std::size_t i = 0; i < life->value_count(); ++i) {
    Address value = 0;
    std::memcpy(&value, life->copy.data() + life->first + i * kWord, sizeof value);
    if (value == 0 || is_object(value)) {
      life->last_right[i] = value;
      continue;
    }
    const auto shift = static_cast<std::int64_t>(value - life->last_right[i]);
    if (shift == 0) continue;
    found = std::abs(shift) <= kCountReach ? static_cast<std::int32_t>(shift) : kAtNoObject;
  }
  return found;
}

void Recorder::look_at(const Life& life) {
  const std::int32_t shift = value_shift(life.id);
  if (shift != 0 && evidence_.sightings.size() < kKeepLimit)
    evidence_.sightings.push_back({order_, false, 0, 0, number(life.id), 0, shift});
}

void Recorder::probed(const Probe& probe) { probed(probe, value_shift(probe.values)); }

void Recorder::probed(const Probe& probe, std::int32_t shift) {
  ++order_;
  if (evidence_.sightings.size() >= kKeepLimit) return;
  const auto [place, is_new] =
      places_.try_emplace(probe.object, static_cast<std::uint32_t>(places_.size()) + 1);
  evidence_.sightings.push_back({order_, probe.compiled, place->second, number(probe.instance),
                                 number(probe.values), probe.word, shift});
}

void Recorder::crashed(const Crash& crash) {
  ++order_;
  constexpr Address kBelow = 16;
  const auto above = by_address_.upper_bound(crash.address);
  const bool beside_chunk = above != by_address_.end() && above->first - crash.address <= kBelow &&
                            lives_.at(above->second).kind == BlockKind::values;
  evidence_.crash = {order_, crash.address, crash.block != harness::BirthId::none, beside_chunk};
}

void Recorder::ended(const Counters& counters) {
  evidence_.counters = counters;
  if (watch_ != nullptr) watch_->settle();
  ++order_;
  for (const auto& [id, life] : lives_) look_at(life);
}

void Recorder::add(const BlockFinding& finding) {
  if (evidence_.findings.size() < kKeepLimit) evidence_.findings.push_back(finding);
}

}  // namespace scenarios::managed_dict
