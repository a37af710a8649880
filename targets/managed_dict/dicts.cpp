// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/dicts.h"

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/kept.h"

namespace targets::managed_dict {

using harness::SiteScope;

std::uint32_t value_count(const Type& type) { return type.keys.entry_count(); }

// ---- making and unmaking ------------------------------------------------------------------------

Address Dicts::make(const Type* type, Address values, std::uint32_t used) {
  const ModuleScope module(memory_, Module::interpreter);
  const Address block = core_.allocator.malloc(kGcHeadBytes + kDictBytes, BlockKind::dict);
  if (block == 0) return 0;
  const Address dict = block + kGcHeadBytes;
  put(dict + kRefcountOffset, 1);
  put(dict + kTypeOffset, core_.types.dict_type());
  put(dict + kDictUsedOffset, used);
  put(dict + kDictVersionOffset, 0);
  put(dict + kDictKeysOffset, values != 0 ? type->address : 0);
  put(dict + kDictValuesOffset, values);
  core_.program_observer().object_made(memory_.block_at(block).id);
  core_.collector.track(dict);
  return dict;
}

void Dicts::deallocate(Address dict) {
  const SiteScope site(core_.scheduler(), "dict_dealloc");
  const ModuleScope module(memory_, Module::interpreter);
  if (keeps_object(memory_, dict, dict - kGcHeadBytes)) return;
  core_.collector.untrack(dict);
  clear(dict);
  core_.allocator.free(dict - kGcHeadBytes);
}

void Dicts::clear(Address dict) {
  const ModuleScope module(memory_, Module::interpreter);
  const Address taken = values(dict);
  if (shares_values(taken)) return;
  if (taken != 0) return forsake(dict);
  const Address own = table(dict);
  put(dict + kDictUsedOffset, 0);
  put(dict + kDictKeysOffset, 0);
  if (own == 0) return;
  const std::uint64_t count = word(own + kWord);
  for (std::uint64_t i = 0; i < count; ++i) core_.objects.decref(word(entry(own, i) + kWord));
  core_.allocator.free(own);
}

void Dicts::forsake(Address dict) {
  const Address taken = values(dict);
  const Type* type = keys(dict);
  put(dict + kDictUsedOffset, 0);
  put(dict + kDictKeysOffset, 0);
  put(dict + kDictValuesOffset, 0);
  core_.attributes.drop_values(taken, type != nullptr ? value_count(*type) : 0);
}

Status Dicts::detach(Address dict) {
  const Address taken = values(dict);
  if (taken == 0) return Status::ok;
  const Type* type = keys(dict);
  const std::uint32_t count = type != nullptr ? value_count(*type) : 0;
  const Address own = make_table(std::max(kTableCapacity, count + 1));
  if (own == 0) return Status::memory_error;
  const std::uint32_t used = std::min(count, core_.attributes.value_count(taken));
  for (std::uint32_t i = 0; i < used; ++i) {
    const std::uint32_t index = core_.attributes.value_index(taken, i);
    const Address value = index < count ? word(taken + index * kWord) : 0;
    if (value != 0) append(own, type->keys.attribute(index), value);
  }
  put(dict + kDictKeysOffset, own);
  put(dict + kDictValuesOffset, 0);
  core_.attributes.free_values(taken);
  return Status::ok;
}

// ---- items --------------------------------------------------------------------------------------

// PyDict_Check, in its compiled form: reads one byte of the type's flags.
Status Dicts::check(Address dict) {
  const Address type = word(dict + kTypeOffset);
  const auto flags = memory_.load<std::uint8_t>(type + kDictSubclassByte);
  return (flags & kDictSubclassBit) != 0 ? Status::ok : Status::type_error;
}

bool Dicts::shares_values(Address values) {
  return values != 0 && core_.attributes.is_inline(values);
}

Type* Dicts::keys(Address dict) { return core_.types.at(word(dict + kDictKeysOffset)); }

Status Dicts::set(Address dict, Attribute attribute, Address value) {
  const SiteScope site(core_.scheduler(), "PyDict_SetItem");
  const ModuleScope module(memory_, Module::interpreter);
  if (const Status status = check(dict); status != Status::ok) return status;
  if (const Address taken = values(dict)) {
    Type* type = keys(dict);
    if (type == nullptr) return Status::type_error;
    int index = type->keys.index(attribute);
    if (index < 0) index = type->keys.insert(attribute);
    if (index >= 0) {
      if (word(taken + static_cast<std::uint32_t>(index) * kWord) == 0) count_used(dict, 1);
      core_.attributes.store_value(taken, static_cast<std::uint32_t>(index), value);
      return Status::ok;
    }
    if (const Status status = detach(dict); status != Status::ok) return status;
  }
  return insert(dict, attribute, value);
}

Status Dicts::insert(Address dict, Attribute attribute, Address value) {
  Address own = table(dict);
  if (own == 0) {
    own = make_table(kTableCapacity);
    if (own == 0) return Status::memory_error;
    put(dict + kDictKeysOffset, own);
  }
  if (const Address place = find(own, attribute)) {
    const Address old = word(place);
    core_.objects.incref(value);
    put(place, value);
    core_.objects.decref(old);
    return Status::ok;
  }
  if (word(own + kWord) == word(own)) {
    own = grow(own);
    if (own == 0) return Status::memory_error;
    put(dict + kDictKeysOffset, own);
  }
  core_.objects.incref(value);
  append(own, attribute, value);
  count_used(dict, 1);
  return Status::ok;
}

Address Dicts::get(Address dict, Attribute attribute) {
  const SiteScope site(core_.scheduler(), "PyDict_GetItem");
  if (check(dict) != Status::ok) return 0;
  if (const Address taken = values(dict)) {
    const Type* type = keys(dict);
    const int index = type != nullptr ? type->keys.index(attribute) : -1;
    return index < 0 ? 0 : word(taken + static_cast<std::uint32_t>(index) * kWord);
  }
  const Address own = table(dict);
  const Address place = own != 0 ? find(own, attribute) : 0;
  return place != 0 ? word(place) : 0;
}

Status Dicts::erase(Address dict, Attribute attribute) {
  const SiteScope site(core_.scheduler(), "PyDict_DelItem");
  if (const Status status = check(dict); status != Status::ok) return status;
  if (values(dict) != 0)
    if (const Status status = detach(dict); status != Status::ok) return status;
  const Address own = table(dict);
  const Address place = own != 0 ? find(own, attribute) : 0;
  if (place == 0) return Status::attribute_error;
  const Address old = word(place);
  const std::uint64_t last = word(own + kWord) - 1;
  for (Address next = place + kWord; next < entry(own, last + 1); next += kWord)
    put(next - 2 * kWord, word(next));  // Later entries move up.
  put(own + kWord, last);
  count_used(dict, -1);
  core_.objects.decref(old);
  return Status::ok;
}

void Dicts::count_used(Address dict, std::int64_t by) {
  put(dict + kDictUsedOffset, word(dict + kDictUsedOffset) + static_cast<std::uint64_t>(by));
}

// ---- tables -------------------------------------------------------------------------------------

Address Dicts::make_table(std::uint32_t capacity) {
  const SiteScope site(core_.scheduler(), "new_keys_object");
  const Address made = core_.allocator.malloc(table_bytes(capacity), BlockKind::table);
  if (made == 0) return 0;
  put(made, capacity);
  put(made + kWord, 0);
  return made;
}

Address Dicts::grow(Address old) {
  const std::uint64_t count = word(old + kWord);
  const std::uint64_t capacity = std::min<std::uint64_t>(2 * word(old), kTableCapacityMost);
  if (capacity == word(old)) return 0;
  const Address made = make_table(static_cast<std::uint32_t>(capacity));
  if (made == 0) return 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    put(entry(made, i), word(entry(old, i)));
    put(entry(made, i) + kWord, word(entry(old, i) + kWord));
  }
  put(made + kWord, count);
  core_.allocator.free(old);
  return made;
}

Address Dicts::find(Address own, Attribute attribute) {
  const std::uint64_t count = word(own + kWord);
  for (std::uint64_t i = 0; i < count; ++i)
    if (word(entry(own, i)) == attribute + 1) return entry(own, i) + kWord;
  return 0;
}

void Dicts::append(Address own, Attribute attribute, Address value) {
  const std::uint64_t count = word(own + kWord);
  put(entry(own, count), attribute + 1);
  put(entry(own, count) + kWord, value);
  put(own + kWord, count + 1);
}

}  // namespace targets::managed_dict
