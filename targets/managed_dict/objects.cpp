// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/objects.h"

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/kept.h"

namespace targets::managed_dict {

using harness::SiteScope;

void Objects::incref(Address object) {
  core_.program_observer().reference_taken(object);
  increment(object);
}

void Objects::decref(Address object) {
  core_.program_observer().reference_dropped(object);
  if (decrement(object)) deallocate(object);
}

void Objects::increment(Address word) {
  Memory& memory = core_.memory;
  tell_observer_of_odd(word);
  if (core_.setup.version == Version::cpython311) {
    memory.store<std::uint64_t>(word, memory.load<std::uint64_t>(word) + 1);
    return;
  }
  const std::uint32_t count = memory.load<std::uint32_t>(word) + 1;
  if (count != 0) memory.store<std::uint32_t>(word, count);
}

bool Objects::decrement(Address word) {
  Memory& memory = core_.memory;
  tell_observer_of_odd(word);
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
    if (keeps_object(core_.memory, object, object)) return;
    core_.allocator.free(object);
  } else if (type == core_.types.dict_type()) {
    core_.dicts.deallocate(object);
  } else if (core_.types.at(type) != nullptr) {
    core_.attributes.deallocate(object);
  } else if (!core_.types.is_static_object(type)) {
    // Calls tp_dealloc of an object that is not a type: no live block is there.
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
  core_.program_observer().object_made(core_.memory.block_at(object).id);
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

void Objects::tell_observer_of_odd(Address word) {
  if ((word & 1) != 0 && core_.memory.module() == Module::jit)
    core_.code_observer().odd_counted(word);
}

}  // namespace targets::managed_dict
