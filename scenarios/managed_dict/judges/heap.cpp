// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/judges/heap.h"

#include "harness/core/fault/kinds.h"

#include <fmt/format.h>

#include <algorithm>

namespace scenarios::managed_dict {

using harness::BirthId;
using harness::Fault;
using harness::FaultKind;
using targets::managed_dict::BlockKind;
using targets::managed_dict::CacheLine;
using targets::managed_dict::kAlignment;
using targets::managed_dict::kWord;
using targets::managed_dict::kWordOffset;
using targets::managed_dict::object_in;
using targets::managed_dict::Type;

namespace {

bool is_counted(BlockKind kind) {
  return kind == BlockKind::instance || kind == BlockKind::number || kind == BlockKind::dict ||
         kind == BlockKind::type;
}

}  // namespace

// ---- T1, T2: an instance and its chunk ----------------------------------------------------------

/// Returns the chunk, alive or dead, to which the word leads; null if none or this instance's.
const HeapJudge::Block* HeapJudge::foreign_chunk(const Instance& instance,
                                                 std::uint64_t word) const {
  if (!targets::managed_dict::is_values(word)) return nullptr;
  const Block* block = bytes().slot_near(word & ~std::uint64_t{kAlignment - 1});
  if (block == nullptr || block->begin % kAlignment != 0) return nullptr;
  return block->id != instance.values_id ? block : nullptr;
}

void HeapJudge::judge_word(Instance& instance) const {
  if (!bytes().covers(instance.object + kWordOffset, kWord)) return;
  const auto word = bytes().read<std::uint64_t>(instance.object + kWordOffset);
  const std::uint64_t expected = expected_word(context_.state, instance);
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
  if (Instance* instance = context_.state.instances.find(object)) judge_word(*instance);
}

// Judges a live chunk: a legal word may still lead to a misplaced one.
void HeapJudge::judge_chunk(Instance& instance) const {
  if (instance.values_id == BirthId::none || instance.values == 0 || instance.judged) return;
  if (context_.scene.world().ledger.life(instance.values_id).address % kAlignment == 0) return;
  instance.judged = true;
  Fault fault = context_.describe(FaultKind::wrong_owner, instance.values_id);
  fault.object_kind = "misaligned values";
  context_.report(std::move(fault));
}

// ---- T4: what is left ---------------------------------------------------------------------------

/// Returns whether any attribute of the instance was last set to this value.
static bool holds(const Instance& instance, Address value) {
  return std::ranges::any_of(instance.attributes.entries(),
                             [&](const auto& entry) { return entry.value.address == value; });
}

// A cycle with a misplaced pointer is not found by the collector. A dict may have the values.
void HeapJudge::judge_values(const Instance& instance) const {
  const auto type = bytes().read<Address>(instance.object + targets::managed_dict::kTypeOffset);
  const auto types = bytes().types();
  const auto known = std::ranges::find(types, type, &Type::address);
  const Block* chunk = bytes().find(instance.given);
  if (chunk == nullptr || chunk->id != instance.values_id || known == types.end()) return;
  for (std::uint32_t i = 0; i < known->keys.size(); ++i) {
    if (!bytes().covers(instance.given + i * kWord, kWord)) return;
    const auto value = bytes().read<Address>(instance.given + i * kWord);
    if (value == 0 || holds(instance, value)) continue;
    Fault fault = context_.fault_here(FaultKind::wrong_value, "attribute",
                                      fmt::format("{:#x}, which no one stored", value));
    fault.object = context_.name_of(instance.id);
    return context_.report(std::move(fault));
  }
}

void HeapJudge::judge_left() {
  for (const Instance* instance : context_.state.instances.live()) judge_values(*instance);
}

// ---- T5: counts ---------------------------------------------------------------------------------

// An intervention holds a reference to what it keeps.
std::optional<HeapJudge::Miscount> HeapJudge::miscount_of(const Block& block) const {
  if (!is_counted(block.kind) || !bytes().covers(object_in(block), kWord)) return {};
  if (block.id != BirthId::none && !context_.scene.world().ledger.alive(block.id)) return {};
  const auto count = bytes().read<std::uint64_t>(object_in(block));
  const std::int64_t expected = expected_count(context_.state, block);
  if (static_cast<std::int64_t>(count) == expected) return {};
  return Miscount{count, expected};
}

void HeapJudge::judge_count(const Block& block) {
  const std::optional<Miscount> wrong = miscount_of(block);
  if (!wrong) return;
  References::Count& references = context_.state.references.in(bytes(), block);
  if (references.judged) return;
  references.judged = true;
  Fault fault = context_.fault_here(FaultKind::wrong_value, "reference count",
                                    fmt::format("{} instead of {}", wrong->count, wrong->expected));
  if (block.id != BirthId::none) fault.object = context_.name_of(block.id);
  context_.report(std::move(fault));
}

void HeapJudge::judge_immortals() {
  if (immortals_judged_) return;
  for (const Address object : {bytes().none(), bytes().boolean(false), bytes().boolean(true)}) {
    const auto count = bytes().read<std::uint64_t>(object);
    const std::uint64_t expected = expected_immortal_count(context_.state, object);
    if (count == expected) continue;
    immortals_judged_ = true;
    return context_.report(context_.fault_here(FaultKind::wrong_value, "reference count",
                                               fmt::format("{} instead of {}", count, expected)));
  }
}

// ---- T9, T10: caches ----------------------------------------------------------------------------

// A type without a version notifies no watcher.
void HeapJudge::judge_caches() {
  bytes().for_each_cache_line([&](const CacheLine& line) {
    const std::uint32_t version = bytes().version(line.type);
    const bool dangles = line.value != 0 && bytes().find(line.value) == nullptr;
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
  bytes().for_each_live([&](const Block& block) { found |= miscount_of(block).has_value(); });
  return found;
}

void HeapJudge::judge_all() {
  for (Instance* instance : context_.state.instances.live()) {
    judge_word(*instance);
    judge_chunk(*instance);
  }
  bytes().for_each_live([&](const Block& block) { judge_count(block); });
  judge_immortals();
  for (const Type& type : bytes().types()) judge_count(*bytes().find(type.address));
  judge_caches();
}

}  // namespace scenarios::managed_dict
