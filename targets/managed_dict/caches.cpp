// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/caches.h"

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

void Caches::fill(AttrCache& cache, const Type& type, Attribute attribute) {
  const int index = type.keys.index(attribute);
  if (index < 0) return;
  cache.fill({type.address, core_.types.assign_version(type), attribute,
              static_cast<std::uint32_t>(index), 0});
}

void Caches::fill_type(Class of, const Type& type, Address value) {
  type_cache(of) = {type.address, core_.types.assign_version(type), 0, 0, value};
}

void Caches::type_changed(const Type& type) {
  bool watched = false;
  const auto reset = [&](CacheLine& line) {
    if (line.type != type.address) return;
    watched = true;
    line = {};
  };
  // Instance lines hold no value. They are reset first, because they were watched first.
  for (auto* caches : {&stores_, &loads_})
    for (AttrCache& cache : *caches)
      for (CacheLine& line : cache.lines) reset(line);
  for (CacheLine& line : types_)
    if (line.type == type.address && !core_.writer->forgets_invalidation()) reset(line);
  if (core_.memory.memory_observer() != nullptr) [[unlikely]]
    for_each_filled([&](const CacheLine& line) {
      core_.memory.counters().stale_cache_lines += line.type == type.address;
    });
  if (!watched) return;
  ++core_.memory.counters().invalidations;
  core_.code_observer().type_modified();
}

}  // namespace targets::managed_dict
