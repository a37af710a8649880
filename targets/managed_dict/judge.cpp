#include "targets/managed_dict/judge.h"

#include <fmt/format.h>

namespace targets::managed_dict {

namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

Fault fault_here(Core& core, FaultKind kind, Label what, std::string detail) {
  Fault fault;
  fault.kind = kind;
  fault.object_kind = what;
  fault.use_site = core.scheduler().site();
  fault.activation = core.scheduler().picker().current().name;
  fault.tick = core.scheduler().now();
  fault.detail = std::move(detail);
  return fault;
}

void report(Core& core, Fault fault) { core.scheduler().history().add(std::move(fault)); }

harness::Name name_of(Core& core, harness::BirthId id) {
  return core.memory.ledger().life(id).name;
}

/// Whether the word leads to a chunk, alive or dead, that is not this instance's.
const Block* foreign_chunk(Core& core, const GhostInstance& instance, std::uint64_t word) {
  if (!is_values(word)) return nullptr;
  const Block* block = core.memory.blocks().slot_near(word & ~std::uint64_t{kAlignment - 1});
  if (block == nullptr || block->begin % kAlignment != 0) return nullptr;
  return block->id != instance.values_id ? block : nullptr;
}

std::uint64_t expected_word(const GhostInstance& instance, Version version) {
  return version == Version::cpython312 && instance.values != 0 ? tagged(instance.values)
                                                                : instance.dict;
}

// T1.
void judge_word(Core& core, GhostInstance& instance) {
  if (!core.memory.blocks().covers(instance.object + kWordOffset, kWord)) return;
  const std::uint64_t word = core.attributes.word(instance.object);
  const std::uint64_t expected = expected_word(instance, core.setup.version);
  if (word == expected) return;
  if (instance.judged) return;
  instance.judged = true;
  Fault fault = fault_here(core, FaultKind::wrong_value, "tagged word",
                           fmt::format("{:#x} instead of {:#x}", word, expected));
  if (const Block* chunk = foreign_chunk(core, instance, word)) {
    fault.kind = chunk->alive ? FaultKind::recycled_use : FaultKind::use_after_death;
    fault.recycler = name_of(core, chunk->id);
  }
  fault.object = name_of(core, instance.id);
  report(core, std::move(fault));
}

// T2, of a chunk that is alive: a legal word can lead to it all the same.
void judge_chunk(Core& core, GhostInstance& instance) {
  if (instance.values_id == harness::BirthId::none || instance.values == 0 || instance.judged)
    return;
  if (core.memory.ledger().life(instance.values_id).address % kAlignment == 0) return;
  instance.judged = true;
  Fault fault = core.memory.ledger().describe(FaultKind::wrong_owner, instance.values_id);
  fault.object_kind = "misaligned values";
  report(core, std::move(fault));
}

// T5.
void judge_count(Core& core, Block& block) {
  if (block.judged || (block.kind != BlockKind::instance && block.kind != BlockKind::number &&
                       block.kind != BlockKind::dict && block.kind != BlockKind::type))
    return;
  if (!core.memory.blocks().covers(object_in(block), kWord)) return;
  const auto count = core.memory.load<std::uint64_t>(object_in(block));
  if (static_cast<std::int64_t>(count) == block.references) return;
  block.judged = true;
  Fault fault = fault_here(core, FaultKind::wrong_value, "reference count",
                           fmt::format("{} instead of {}", count, block.references));
  if (block.id != harness::BirthId::none) fault.object = name_of(core, block.id);
  report(core, std::move(fault));
}

// T5, of None, False and True: counted before 3.12, and never since.
void judge_immortals(Core& core) {
  if (core.immortals_judged) return;
  for (const Address object :
       {core.types.none(), core.types.boolean(false), core.types.boolean(true)}) {
    const Block& block = *core.memory.find(object);
    const auto count = core.memory.load<std::uint64_t>(object);
    const std::uint64_t expected =
        core.setup.version == Version::cpython311
            ? kEarlyReferences + static_cast<std::uint64_t>(block.references)
            : kImmortal;
    if (count == expected) continue;
    core.immortals_judged = true;
    return report(core, fault_here(core, FaultKind::wrong_value, "reference count",
                                   fmt::format("{} instead of {}", count, expected)));
  }
}

// T9, T10.
void judge_caches(Core& core) {
  core.caches.for_each_filled([&](const CacheLine& line) {
    const Type* type = core.types.at(line.type);
    const std::uint32_t version = type != nullptr ? core.types.version(*type) : 0;
    const bool dangles = line.value != 0 && core.memory.find(line.value) == nullptr;
    // What has no version is told of no change.
    if ((version == line.version && version != 0 && !dangles) || core.caches.judged) return;
    core.caches.judged = true;
    if (dangles)
      return report(core, fault_here(core, FaultKind::use_after_death, "cache entry",
                                     "what it borrows has died"));
    report(core,
           fault_here(core, FaultKind::wrong_value, "cache entry",
                      fmt::format("of version {}, the type is at {}", line.version, version)));
  });
}

}  // namespace

/// Whether it leads to values, alive or not. A pointer that was counted has its low bit set as well.
static bool leads_to_values(Core& core, Address word) {
  const Address values = values_of(word);
  const Block* block = core.memory.find(values);
  if (block == nullptr) block = core.memory.blocks().find_dead(values);
  return block != nullptr && block->kind == BlockKind::values;
}

void judge_counted_word(Core& core, Address word) {
  if (!leads_to_values(core, word)) return;
  report(core, fault_here(core, FaultKind::api_misuse, "tagged word",
                          fmt::format("counted as an object: {:#x}", word)));
}

void judge_word(Core& core, Address object) {
  if (GhostInstance* instance = core.ghost.find(object)) judge_word(core, *instance);
}

void judge_reading(Core& core, Address object, Attribute attribute, Address observed) {
  const GhostInstance* instance = core.ghost.find(object);
  if (instance == nullptr) return;
  const Stored* stored = instance->find(attribute);
  const Address expected = stored != nullptr ? stored->address : 0;
  if (observed == expected) return;
  Fault fault = fault_here(core, FaultKind::wrong_value, "attribute",
                           fmt::format("{:#x} instead of {:#x}", observed, expected));
  fault.object = name_of(core, instance->id);
  report(core, std::move(fault));
}

void judge_type_reading(Core& core, Class of, Address observed) {
  const Address expected =
      core.memory.load<std::uint64_t>(core.types.named(of).address + kTypeAttributeOffset);
  if (observed == expected) return;
  report(core, fault_here(core, FaultKind::wrong_value, "class attribute",
                          fmt::format("{:#x} instead of {:#x}", observed, expected)));
}

void judge_heap(Core& core) {
  for (GhostInstance* instance : core.ghost.live()) {
    judge_word(core, *instance);
    judge_chunk(core, *instance);
  }
  core.memory.blocks().for_each_live([&](Block& block) { judge_count(core, block); });
  judge_immortals(core);
  for (Type& type : core.types.all()) judge_count(core, *core.memory.find(type.address));
  judge_caches(core);
}

}  // namespace targets::managed_dict
