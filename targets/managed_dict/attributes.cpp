// SPDX-License-Identifier: Apache-2.0
// How it works. `look` reads the words of the layout; all other functions use it. In 3.13 an object
// may have a dict besides its values, which they then share: a traversal visits both, and the
// collector counts the dict's references through the dict only.
#include "targets/managed_dict/attributes.h"

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/kept.h"

namespace targets::managed_dict {

using harness::SiteScope;

Attributes::Where Attributes::look(Address object) {
  switch (core_.setup.version) {
    case Version::cpython312: {
      const std::uint64_t word = load(object + kWordOffset);
      return is_values(word) ? Where{values_of(word), 0} : Where{0, word};
    }
    case Version::cpython311:
      return {load(object + kValuesOffset), load(object + kWordOffset)};
    case Version::cpython313: {
      const Address values = inline_values(object);
      const Address dict = load(object + kWordOffset);
      return {load_byte(values + kInlineValidOffset) != 0 ? values : 0, dict};
    }
  }
  return {};
}

Type& Attributes::type_of(Address object) {
  const Address address = load(object + kTypeOffset);
  Type* type = core_.types.at(address);
  if (type == nullptr) memory_.crash(address + kTypeFlagsOffset);
  return *type;
}

bool Attributes::is_inline(Address values) {
  if (core_.setup.version != Version::cpython313) return false;
  const Block* block = memory_.find(values);
  return block != nullptr && block->kind == BlockKind::instance;
}

// ---- PyObject_SetAttr and its kin ---------------------------------------------------------------

Status Attributes::set(Address object, Attribute attribute, Address value) {
  const SiteScope site(core_.scheduler(), "PyObject_SetAttr");
  const ModuleScope module(memory_, Module::interpreter);
  Type& type = type_of(object);
  const Where where = look(object);
  if (where.values != 0 && where.dict == 0) {
    int index = type.keys.index(attribute);
    if (index < 0) index = type.keys.insert(attribute);
    if (index >= 0) {
      store_value(where.values, static_cast<std::uint32_t>(index), value);
      return Status::ok;
    }
  }
  const Address dict = where.dict != 0 ? where.dict : materialise(object);
  return dict != 0 ? core_.dicts.set(dict, attribute, value) : Status::memory_error;
}

Address Attributes::get(Address object, Attribute attribute) {
  const SiteScope site(core_.scheduler(), "PyObject_GetAttr");
  const Where where = look(object);
  if (where.values != 0 && where.dict == 0) {
    const int index = type_of(object).keys.index(attribute);
    return index < 0 ? 0 : load(where.values + static_cast<std::uint32_t>(index) * kWord);
  }
  return where.dict != 0 ? core_.dicts.get(where.dict, attribute) : 0;
}

Status Attributes::erase(Address object, Attribute attribute) {
  const SiteScope site(core_.scheduler(), "PyObject_DelAttr");
  const ModuleScope module(memory_, Module::interpreter);
  const Where where = look(object);
  if (where.dict != 0) return core_.dicts.erase(where.dict, attribute);
  const int index = type_of(object).keys.index(attribute);
  if (where.values == 0 || index < 0) return Status::attribute_error;
  const Address place = where.values + static_cast<std::uint32_t>(index) * kWord;
  const Address old = load(place);
  if (old == 0) return Status::attribute_error;
  store(place, 0);
  remove_order(where.values, static_cast<std::uint32_t>(index));
  core_.objects.decref(old);
  return Status::ok;
}

void Attributes::store_value(Address values, std::uint32_t index, Address value) {
  const Address place = values + index * kWord;
  core_.objects.incref(value);
  const Address old = load(place);
  if (old != 0 && memory_.module() == Module::jit && core_.writer->releases_first()) {
    core_.objects.decref(old);
    return store(place, value);
  }
  store(place, value);
  if (old == 0) {
    append_order(values, index);
  } else {
    core_.objects.decref(old);
  }
}

// ---- the dict -----------------------------------------------------------------------------------

Address Attributes::materialise(Address object) {
  const SiteScope site(core_.scheduler(), "_PyObject_GetDictPtr");
  const ModuleScope module(memory_, Module::interpreter);
  const Where where = look(object);
  if (where.dict != 0) return where.dict;
  const std::uint32_t used = where.values != 0 ? value_count(where.values) : 0;
  const Address dict = core_.dicts.make(&type_of(object), where.values, used);
  if (dict == 0) return 0;
  publish_dict(object, dict);
  ++memory_.counters().materialisations;
  return dict;
}

void Attributes::publish_dict(Address object, Address dict) {
  store(object + kWordOffset, dict);
  if (core_.setup.version == Version::cpython311) store(object + kValuesOffset, 0);
  core_.program_observer().dict_published(object, dict);
}

Status Attributes::replace_dict(Address object, Address dict) {
  const SiteScope site(core_.scheduler(), "_PyObject_SetManagedDict");
  const ModuleScope module(memory_, Module::interpreter);
  const Address old = materialise(object);
  if (old == 0) return Status::memory_error;
  if (core_.setup.version == Version::cpython313) {
    // The dict takes the values that it shares with the object, which is then empty.
    if (const Status status = core_.dicts.detach(old); status != Status::ok) return status;
  }
  store(object + kWordOffset, dict);
  core_.program_observer().dict_replaced(object, dict);
  core_.objects.decref(old);
  return Status::ok;
}

// Moves the attributes to the dict first, because another class has other keys.
Status Attributes::set_class(Address object, Type& to) {
  const SiteScope site(core_.scheduler(), "object_set_class");
  const ModuleScope module(memory_, Module::interpreter);
  const Type& from = type_of(object);
  const Address dict = materialise(object);
  if (dict == 0) return Status::memory_error;
  if (core_.setup.version == Version::cpython313)
    if (const Status status = core_.dicts.detach(dict); status != Status::ok) return status;
  core_.objects.incref(to.address);
  store(object + kTypeOffset, to.address);
  core_.objects.decref(from.address);
  return Status::ok;
}

// ---- insertion order ----------------------------------------------------------------------------

Address Attributes::count_byte(Address values) const {
  return core_.setup.version == Version::cpython313 ? values + kInlineSizeOffset
                                                    : values + kCountByteOffset;
}

// Before 3.13 the order grows down from the values, over whatever is there.
Address Attributes::order_byte(Address values, std::uint32_t position) {
  if (core_.setup.version == Version::cpython313)
    return values + Address{load_byte(values + kInlineCapacityOffset)} * kWord + position;
  return values + kOrderByteOffset - position;
}

void Attributes::append_order(Address values, std::uint32_t index) {
  const std::uint32_t count = load_byte(count_byte(values));
  store_byte(order_byte(values, count), index);
  store_byte(count_byte(values), count + 1);
  core_.code_observer().order_appended();
  core_.writer->after_append(values, count);
}

void Attributes::remove_order(Address values, std::uint32_t index) {
  const std::uint32_t count = load_byte(count_byte(values));
  std::uint32_t position = 0;
  while (position < count && load_byte(order_byte(values, position)) != index) ++position;
  for (; position + 1 < count; ++position)
    store_byte(order_byte(values, position), load_byte(order_byte(values, position + 1)));
  if (count != 0) store_byte(count_byte(values), count - 1);
}

// ---- the life of an instance: allocation, its values, deallocation
// -------------------------------

Address Attributes::make(Type& type) {
  const SiteScope site(core_.scheduler(), "PyType_GenericAlloc");
  const ModuleScope module(memory_, Module::interpreter);
  const Version version = core_.setup.version;
  std::uint32_t bytes = kPreheaderBytes + basic_bytes(version);
  if (version == Version::cpython313) bytes += inline_bytes(type.keys.size());
  const Address block = core_.allocator.malloc(bytes, BlockKind::instance);
  if (block == 0) return 0;
  for (std::uint32_t offset = 0; offset < bytes; offset += kWord) store(block + offset, 0);
  const Address object = block + kPreheaderBytes;
  store(object + kRefcountOffset, 1);
  store(object + kTypeOffset, type.address);
  const harness::BirthId instance = memory_.block_at(block).id;
  core_.program_observer().object_made(instance);
  core_.objects.incref(type.address);
  core_.collector.track(object);
  const Birth birth = init_values(object, instance, type);
  core_.program_observer().instance_born(birth);
  if (birth.values != 0) return object;
  core_.objects.decref(object);
  return 0;
}

// Called by object_new, after tp_alloc, which leaves the word 0.
Birth Attributes::init_values(Address object, harness::BirthId instance, Type& type) {
  const SiteScope site(core_.scheduler(), "init_inline_values");
  type.keys.shrink();
  const std::uint32_t size = type.keys.size();
  memory_.heap_observer().made_room(type.index, type.keys.entry_count(), size);
  if (core_.setup.version == Version::cpython313) {
    const Address values = inline_values(object);
    store_byte(values + kInlineCapacityOffset, size);
    store_byte(values + kInlineEmbeddedOffset, 1);
    store_byte(values + kInlineValidOffset, 1);
    return {object, instance, values, instance};
  }
  const Address values = make_chunk(size);
  if (values == 0) return {object, instance, 0, harness::BirthId::none};
  set_values(object, values);
  return {object, instance, values, memory_.block_at(values - prefix_bytes(size)).id};
}

Address Attributes::make_chunk(std::uint32_t size) {
  const SiteScope site(core_.scheduler(), "new_values");
  const Address chunk = core_.allocator.malloc(chunk_bytes(size), BlockKind::values);
  if (chunk == 0) return 0;
  const Address values = chunk + prefix_bytes(size);
  store_byte(values + kPrefixByteOffset, prefix_bytes(size));
  store_byte(values + kCountByteOffset, 0);
  for (std::uint32_t i = 0; i < size; ++i) store(values + i * kWord, 0);
  return values;
}

void Attributes::set_values(Address object, Address values) {
  if (core_.setup.version == Version::cpython312)
    store(object + kWordOffset, tagged(values));
  else
    store(object + kValuesOffset, values);
}

void Attributes::deallocate(Address object) {
  const SiteScope site(core_.scheduler(), "subtype_dealloc");
  const ModuleScope module(memory_, Module::interpreter);
  if (keeps_object(memory_, object, object - kPreheaderBytes)) return;
  if (core_.release_code != nullptr && !core_.release_code->released(object)) return;
  const Address type = load(object + kTypeOffset);
  core_.collector.untrack(object);
  clear(object);
  core_.writer->before_death(object);
  core_.program_observer().instance_died(object);
  core_.allocator.free(object - kPreheaderBytes);
  core_.objects.decref(type);
}

void Attributes::clear(Address object) {
  core_.code_observer().believing(object);
  const Type& type = type_of(object);
  const Where where = look(object);
  const Version version = core_.setup.version;
  if (where.dict != 0 && version == Version::cpython313) {
    // Other holders of the dict keep its content; if there is no memory for it, it becomes empty.
    if (core_.dicts.detach(where.dict) != Status::ok) core_.dicts.forsake(where.dict);
  } else if (where.values != 0) {
    drop_values(where.values, type.keys.entry_count());
  }
  if (version == Version::cpython311) store(object + kValuesOffset, 0);
  store(object + kWordOffset, 0);
  core_.program_observer().instance_emptied(object);
  if (where.dict != 0) core_.objects.decref(where.dict);
}

void Attributes::drop_values(Address values, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) core_.objects.xdecref(load(values + i * kWord));
  free_values(values);
}

// A chunk's own prefix says where it begins. Inline values are only marked as invalid.
void Attributes::free_values(Address values) {
  if (is_inline(values)) return store_byte(values + kInlineValidOffset, 0);
  memory_.heap_observer().freeing_values();
  core_.allocator.free_values(values);
}

}  // namespace targets::managed_dict
