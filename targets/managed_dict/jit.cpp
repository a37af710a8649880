// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/jit.h"

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

using harness::SiteScope;

// ---- which functions ----------------------------------------------------------------------------

bool Jit::enter(Function function) {
  State& called = state(function);
  if (called.compiled) return true;
  if (++called.calls < core_.setup.compile_threshold || !core_.writer->may_compile()) return false;
  if (core_.setup.background_compile) {
    called.queued = true;
    return false;
  }
  compile(function);
  return true;
}

void Jit::compile(Function function) {
  State& compiled = state(function);
  if (compiled.compiled || !core_.writer->may_compile()) return;
  compiled.compiled = true;
  compiled.queued = false;
  ++core_.memory.counters().compilations;
}

Status Jit::deopt(Function function) {
  State& state = this->state(function);
  if (!state.compiled) return Status::ok;
  state = {};
  ++core_.memory.counters().deopts;
  return Status::ok;
}

bool Jit::compile_queued() {
  for (std::uint32_t i = 0; i < kFunctionCount; ++i)
    if (functions_[i].queued) {
      compile(static_cast<Function>(i));
      return true;
    }
  return false;
}

// ---- stores -------------------------------------------------------------------------------------

Status Jit::store_attr(Function in, Site site, Address object, Attribute attribute, Address value) {
  const bool compiled = is_compiled(in);
  core_.code_observer().storing(object, compiled);
  if (compiled) return store_compiled(site, object, attribute, value);
  ++core_.memory.counters().interpreted_stores;
  return core_.attributes.set(object, attribute, value);
}

// StoreAttrCached calls StoreAttrCache::invoke: on 3.12 no store to an instance's values is
// inlined.
Status Jit::store_compiled(Site site, Address object, Attribute attribute, Address value) {
  const SiteScope scope(core_.scheduler(), "StoreAttrCache::invoke");
  const ModuleScope module(core_.memory, Module::jit);
  Counters& counters = core_.memory.counters();
  ++counters.compiled_stores;
  core_.code_observer().compiled_store();
  core_.writer->before_store(object);
  core_.code_observer().believing(object);
  AttrCache& cache = core_.caches.store_cache(site);
  const auto type = core_.memory.load<std::uint64_t>(object + kTypeOffset);
  const CacheLine* line = cache.find(type, attribute);
  if (line == nullptr) {
    ++counters.store_cache_misses;
    const Status status = core_.attributes.set(object, attribute, value);
    const Type* known = core_.types.at(type);
    if (status == Status::ok && known != nullptr) core_.caches.fill(cache, *known, attribute);
    return status;
  }
  ++counters.store_cache_hits;
  const Attributes::Where where = core_.attributes.look(object);
  if (where.values != 0 && where.dict == 0) {
    core_.attributes.store_value(where.values, line->index, value);
    return Status::ok;
  }
  const Address dict = where.dict != 0 ? where.dict : core_.attributes.materialise(object);
  return dict != 0 ? core_.dicts.set(dict, attribute, value) : Status::memory_error;
}

// ---- loads --------------------------------------------------------------------------------------

Address Jit::load_attr(Function in, Site site, Address object, Attribute attribute) {
  if (core_.memory.memory_observer() != nullptr) [[unlikely]]
    core_.memory.memory_observer()->loading();
  if (is_compiled(in)) return load_compiled(site, object, attribute);
  return core_.attributes.get(object, attribute);
}

Address Jit::load_compiled(Site site, Address object, Attribute attribute) {
  const SiteScope scope(core_.scheduler(), "LoadAttrCache::invoke");
  const ModuleScope module(core_.memory, Module::jit);
  Counters& counters = core_.memory.counters();
  ++counters.compiled_loads;
  core_.code_observer().compiled_load();
  if (core_.writer->before_load(object)) {
    ++counters.guard_exits;
    return core_.attributes.get(object, attribute);
  }
  core_.code_observer().believing(object);
  const Attributes::Where where = core_.attributes.look(object);
  if (where.values != 0) core_.code_observer().values_decoded();
  AttrCache& cache = core_.caches.load_cache(site);
  const auto type = core_.memory.load<std::uint64_t>(object + kTypeOffset);
  const CacheLine* line = cache.find(type, attribute);
  if (line != nullptr) {
    ++counters.load_cache_hits;
    if (where.values != 0 && where.dict == 0)
      return core_.memory.load<std::uint64_t>(where.values + line->index * kWord);
    return where.dict != 0 ? core_.dicts.get(where.dict, attribute) : 0;
  }
  ++counters.load_cache_misses;
  const Address value = core_.attributes.get(object, attribute);
  const Type* known = core_.types.at(type);
  if (value != 0 && known != nullptr) core_.caches.fill(cache, *known, attribute);
  return value;
}

// ---- attributes of types ------------------------------------------------------------------------

// Compiled code contains the value's address and counts no reference.
Address Jit::load_type_attr(Function in, Class of) {
  const SiteScope scope(core_.scheduler(), "LoadTypeAttrCache::invoke");
  const Type& type = core_.types.named(of);
  CacheLine& line = core_.caches.type_cache(of);
  const bool compiled = is_compiled(in);
  if (compiled && line.type == type.address) {
    note_hit(line, type);
    return line.value;
  }
  const auto value = core_.memory.load<std::uint64_t>(type.address + kTypeAttributeOffset);
  if (compiled) core_.caches.fill_type(of, type, value);
  return value;
}

void Jit::note_hit(const CacheLine& line, const Type& type) {
  MemoryObserver* observer = core_.memory.memory_observer();
  if (observer == nullptr) [[likely]]
    return;
  const Block* value = core_.memory.find(line.value);
  observer->cache_hit({core_.scheduler().now(), line.version, core_.types.version(type),
                       value != nullptr ? value->id : harness::BirthId::none, line.value});
}

void Jit::store_type_attr(const Type& type, Address value) {
  const SiteScope scope(core_.scheduler(), "type_setattro");
  const ModuleScope module(core_.memory, Module::interpreter);
  const Address place = type.address + kTypeAttributeOffset;
  const auto old = core_.memory.load<std::uint64_t>(place);
  core_.objects.incref(value);
  core_.memory.store<std::uint64_t>(place, value);
  // PyType_Modified, before the old value is released: no cache may still refer to it then.
  core_.memory.store<std::uint32_t>(type.address + kTypeVersionOffset, 0);
  core_.caches.type_changed(type);
  core_.objects.decref(old);
}

}  // namespace targets::managed_dict
