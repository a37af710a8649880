// Attributes, the life of an instance: allocation, its values, deallocation.
#include "targets/managed_dict/attributes.h"
#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

using harness::SiteScope;

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

// Called by object_new, after tp_alloc: until then the word is 0.
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
    // Whoever else holds the dict keeps what is in it; without memory for it, an empty dict.
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

// The chunk says itself where it begins. Inline values only become invalid.
void Attributes::free_values(Address values) {
  if (is_inline(values)) return store_byte(values + kInlineValidOffset, 0);
  memory_.heap_observer().freeing_values();
  core_.allocator.free_values(values);
}

}  // namespace targets::managed_dict
