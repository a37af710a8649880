// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/judges/heap.h"

#include "harness/core/fault/kinds.h"

#include <fmt/format.h>

#include <algorithm>

namespace scenarios::managed_dict {

using harness::BirthId;
using harness::Fault;
using harness::FaultKind;
using targets::managed_dict::Attribute;
using targets::managed_dict::BlockKind;
using targets::managed_dict::CacheLine;
using targets::managed_dict::Class;
using targets::managed_dict::kAlignment;
using targets::managed_dict::kWord;
using targets::managed_dict::kWordOffset;
using targets::managed_dict::object_in;
using targets::managed_dict::Type;
using targets::managed_dict::Version;

namespace {

std::uint64_t expected_word(const ShadowInstance& instance, Version version) {
  return version == Version::cpython312 && instance.values != 0
             ? targets::managed_dict::tagged(instance.values)
             : instance.dict;
}

bool is_counted(BlockKind kind) {
  return kind == BlockKind::instance || kind == BlockKind::number || kind == BlockKind::dict ||
         kind == BlockKind::type;
}

}  // namespace

// ---- T1, T2: an instance and its chunk ----------------------------------------------------------

/// Returns the chunk, alive or dead, to which the word leads; null if none or this instance's.
const HeapJudge::Block* HeapJudge::foreign_chunk(const ShadowInstance& instance,
                                                 std::uint64_t word) const {
  if (!targets::managed_dict::is_values(word)) return nullptr;
  const Block* block = context_.heap->slot_near(word & ~std::uint64_t{kAlignment - 1});
  if (block == nullptr || block->begin % kAlignment != 0) return nullptr;
  return block->id != instance.values_id ? block : nullptr;
}

void HeapJudge::judge_word(ShadowInstance& instance) const {
  if (!context_.heap->covers(instance.object + kWordOffset, kWord)) return;
  const auto word = context_.heap->read<std::uint64_t>(instance.object + kWordOffset);
  const std::uint64_t expected = expected_word(instance, context_.version);
  if (word == expected || instance.judged) return;
  instance.judged = true;
  Fault fault = context_.fault_here(FaultKind::wrong_value, "tagged word",
                                    fmt::format("{:#x} instead of {:#x}", word, expected));
  if (const Block* chunk = foreign_chunk(instance, word)) {
    fault.kind = chunk->alive ? FaultKind::recycled_use : FaultKind::use_after_free;
    fault.recycler = context_.name_of(chunk->id);
  }
  fault.object = context_.name_of(instance.id);
  context_.report(std::move(fault));
}

void HeapJudge::judge_word(Address object) {
  if (ShadowInstance* instance = shadow_.find(object)) judge_word(*instance);
}

// Judges a live chunk: a legal word may still lead to a misplaced one.
void HeapJudge::judge_chunk(ShadowInstance& instance) const {
  if (instance.values_id == BirthId::none || instance.values == 0 || instance.judged) return;
  const harness::Ledger& ledger = context_.scene.world().ledger;
  if (ledger.life(instance.values_id).address % kAlignment == 0) return;
  instance.judged = true;
  Fault fault = ledger.describe(FaultKind::wrong_owner, instance.values_id);
  fault.object_kind = "misaligned values";
  context_.report(std::move(fault));
}

// ---- T4: what is read ---------------------------------------------------------------------------

void HeapJudge::judge_reading(Address object, Attribute attribute, Address observed) const {
  const ShadowInstance* instance = shadow_.find(object);
  if (instance == nullptr) return;
  const Stored* stored = instance->find(attribute);
  const Address expected = stored != nullptr ? stored->address : 0;
  if (observed == expected) return;
  Fault fault = context_.fault_here(FaultKind::wrong_value, "attribute",
                                    fmt::format("{:#x} instead of {:#x}", observed, expected));
  fault.object = context_.name_of(instance->id);
  context_.report(std::move(fault));
}

/// Returns whether any attribute of the instance was last set to this value.
static bool holds(const ShadowInstance& instance, HeapJudge::Address value) {
  const std::span stored(instance.stored.data(), instance.stored_count);
  return std::ranges::any_of(stored, [&](const Stored& one) { return one.address == value; });
}

// A cycle with a misplaced pointer is not found by the collector. A dict may have the values.
void HeapJudge::judge_values(const ShadowInstance& instance) const {
  const auto type =
      context_.heap->read<Address>(instance.object + targets::managed_dict::kTypeOffset);
  const auto types = context_.heap->types();
  const auto known = std::ranges::find(types, type, &Type::address);
  const Block* chunk = context_.heap->find(instance.given);
  if (chunk == nullptr || chunk->id != instance.values_id || known == types.end()) return;
  for (std::uint32_t i = 0; i < known->keys.size(); ++i) {
    if (!context_.heap->covers(instance.given + i * kWord, kWord)) return;
    const auto value = context_.heap->read<Address>(instance.given + i * kWord);
    if (value == 0 || holds(instance, value)) continue;
    Fault fault = context_.fault_here(FaultKind::wrong_value, "attribute",
                                      fmt::format("{:#x}, which no one stored", value));
    fault.object = context_.name_of(instance.id);
    return context_.report(std::move(fault));
  }
}

void HeapJudge::judge_left() {
  for (const ShadowInstance* instance : shadow_.live()) judge_values(*instance);
}

void HeapJudge::judge_class_reading(Class of, Address observed) const {
  const auto expected = context_.heap->read<std::uint64_t>(context_.heap->class_attribute(of));
  if (observed == expected) return;
  context_.report(context_.fault_here(FaultKind::wrong_value, "class attribute",
                                      fmt::format("{:#x} instead of {:#x}", observed, expected)));
}

// ---- T5, T7: counts -----------------------------------------------------------------------------

// The interpreter itself holds references to classes; an intervention holds one to what it
// keeps.
std::optional<HeapJudge::Miscount> HeapJudge::miscount_of(const Block& block) const {
  if (!is_counted(block.kind) || !context_.heap->covers(object_in(block), kWord)) return {};
  if (block.id != BirthId::none && !context_.scene.world().ledger.alive(block.id)) return {};
  const auto count = context_.heap->read<std::uint64_t>(object_in(block));
  const auto own = static_cast<std::int64_t>(
      block.kind == BlockKind::type ? targets::managed_dict::kTypeReferences : 0);
  const std::int64_t expected = own + shadow_.references().in(block).taken;
  if (static_cast<std::int64_t>(count) == expected) return {};
  return Miscount{count, expected};
}

void HeapJudge::judge_count(const Block& block) {
  const std::optional<Miscount> wrong = miscount_of(block);
  if (!wrong) return;
  References::Count& references = shadow_.references().in(block);
  if (references.judged) return;
  references.judged = true;
  Fault fault = context_.fault_here(FaultKind::wrong_value, "reference count",
                                    fmt::format("{} instead of {}", wrong->count, wrong->expected));
  if (block.id != BirthId::none) fault.object = context_.name_of(block.id);
  context_.report(std::move(fault));
}

// None, False and True are counted before 3.12, but not since.
void HeapJudge::judge_immortals() {
  if (immortals_judged_) return;
  const targets::managed_dict::HeapView& heap = *context_.heap;
  for (const Address object : {heap.none(), heap.boolean(false), heap.boolean(true)}) {
    const auto count = heap.read<std::uint64_t>(object);
    const std::int32_t taken = shadow_.references().in(*heap.find(object)).taken;
    const std::uint64_t expected =
        context_.version == Version::cpython311
            ? targets::managed_dict::kEarlyReferences + static_cast<std::uint64_t>(taken)
            : targets::managed_dict::kImmortal;
    if (count == expected) continue;
    immortals_judged_ = true;
    return context_.report(context_.fault_here(FaultKind::wrong_value, "reference count",
                                               fmt::format("{} instead of {}", count, expected)));
  }
}

/// Returns whether it leads to values, alive or not. The low bit may also be set in a pointer that
/// was counted.
bool HeapJudge::leads_to_values(Address word) const {
  const Address values = targets::managed_dict::values_of(word);
  const Block* block = context_.heap->find(values);
  if (block == nullptr) block = context_.heap->find_dead(values);
  return block != nullptr && block->kind == BlockKind::values;
}

void HeapJudge::judge_counted(Address word) const {
  if (!leads_to_values(word)) return;
  context_.report(context_.fault_here(FaultKind::api_misuse, "tagged word",
                                      fmt::format("counted as an object: {:#x}", word)));
}

// ---- T9, T10: caches ----------------------------------------------------------------------------

// A type without a version notifies no watcher.
void HeapJudge::judge_caches() {
  context_.heap->for_each_cache_line([&](const CacheLine& line) {
    const std::uint32_t version = context_.heap->version(line.type);
    const bool dangles = line.value != 0 && context_.heap->find(line.value) == nullptr;
    if ((version == line.version && version != 0 && !dangles) || caches_judged_) return;
    caches_judged_ = true;
    if (dangles)
      return context_.report(context_.fault_here(FaultKind::use_after_free, "cache entry",
                                                 "what it borrows has died"));
    context_.report(context_.fault_here(
        FaultKind::wrong_value, "cache entry",
        fmt::format("of version {}, the type is at {}", line.version, version)));
  });
}

bool HeapJudge::finds_miscount() const {
  bool found = false;
  context_.heap->for_each_live(
      [&](const Block& block) { found |= miscount_of(block).has_value(); });
  return found;
}

void HeapJudge::judge_all() {
  for (ShadowInstance* instance : shadow_.live()) {
    judge_word(*instance);
    judge_chunk(*instance);
  }
  context_.heap->for_each_live([&](const Block& block) { judge_count(block); });
  judge_immortals();
  for (const Type& type : context_.heap->types()) judge_count(*context_.heap->find(type.address));
  judge_caches();
}

}  // namespace scenarios::managed_dict
