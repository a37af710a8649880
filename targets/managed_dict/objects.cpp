#include "targets/managed_dict/objects.h"

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/judge.h"

namespace targets::managed_dict {

using harness::SiteScope;

void Objects::incref(Address object) {
  if (std::int64_t* references = ghost_references(object)) ++*references;
  increment(object);
}

void Objects::decref(Address object) {
  if (std::int64_t* references = ghost_references(object)) --*references;
  if (decrement(object)) deallocate(object);
}

// T7: compiled code counts objects; a word whose low bit is set is none.
void Objects::increment(Address word) {
  Memory& memory = core_.memory;
  if (is_values(word) && memory.module() == Module::jit) judge_counted_word(core_, word);
  if (core_.setup.version == Version::cpython311) {
    memory.store<std::uint64_t>(word, memory.load<std::uint64_t>(word) + 1);
    return;
  }
  const std::uint32_t count = memory.load<std::uint32_t>(word) + 1;
  if (count != 0) memory.store<std::uint32_t>(word, count);
}

bool Objects::decrement(Address word) {
  Memory& memory = core_.memory;
  if (is_values(word) && memory.module() == Module::jit) judge_counted_word(core_, word);
  const auto count = memory.load<std::uint64_t>(word);
  const bool counts = core_.setup.version == Version::cpython311 ||
                      static_cast<std::int32_t>(static_cast<std::uint32_t>(count)) >= 0;
  if (!counts) return false;
  memory.store<std::uint64_t>(word, count - 1);
  return count == 1;
}

void Objects::deallocate(Address object) {
  const auto type = core_.memory.load<std::uint64_t>(object + kTypeOffset);
  if (type == core_.types.int_type()) {
    const SiteScope site(core_.scheduler(), "long_dealloc");
    const ModuleScope module(core_.memory, Module::interpreter);
    core_.allocator.free(object);
  } else if (type == core_.types.dict_type()) {
    core_.dicts.deallocate(object);
  } else if (core_.types.at(type) != nullptr) {
    core_.attributes.deallocate(object);
  } else if (!core_.types.is_static_object(type)) {
    // tp_dealloc of what is no type: where that leads, nobody lives.
    core_.memory.crash(core_.memory.load<std::uint64_t>(type + kTypeDeallocOffset));
  }
}

Address Objects::new_number(std::int64_t value) {
  const SiteScope site(core_.scheduler(), "PyLong_FromLong");
  const ModuleScope module(core_.memory, Module::interpreter);
  const Address object = core_.allocator.malloc(kNumberBytes, BlockKind::number);
  if (object == 0) return 0;
  core_.memory.store<std::uint64_t>(object + kRefcountOffset, 1);
  core_.memory.store<std::uint64_t>(object + kTypeOffset, core_.types.int_type());
  core_.memory.store<std::uint64_t>(object + kDigitTagOffset, 8);
  core_.memory.store<std::uint32_t>(object + kDigitOffset, static_cast<std::uint32_t>(value));
  if (std::int64_t* references = ghost_references(object)) *references = 1;
  return object;
}

std::optional<std::int64_t> Objects::number(Address object) {
  const SiteScope site(core_.scheduler(), "PyLong_AsLong");
  if (object == core_.types.boolean(true)) return 1;
  if (object == core_.types.boolean(false)) return 0;
  const auto type = core_.memory.load<std::uint64_t>(object + kTypeOffset);
  core_.memory.load<std::uint8_t>(type + kDictSubclassByte);  // PyLong_Check reads the flags.
  if (type != core_.types.int_type()) return std::nullopt;
  return core_.memory.load<std::uint32_t>(object + kDigitOffset);
}

std::int64_t* Objects::ghost_references(Address object) {
  Block* block = core_.memory.blocks().slot_near(object);
  if (block != nullptr && block->alive && block->begin == object && object == object_in(*block))
    return &block->references;
  block = core_.memory.find(object);
  if (block == nullptr || object != object_in(*block)) return nullptr;
  return &block->references;
}

}  // namespace targets::managed_dict
