// SPDX-License-Identifier: Apache-2.0
// Caches: type facts that the JIT keeps between calls: inline caches for attribute stores and
// loads, and for attributes of the type itself. All of them borrow. They stay valid because
// modifying a type notifies its watchers.
#pragma once

#include <array>

#include "targets/managed_dict/types.h"

namespace targets::managed_dict {

struct Core;

/// Facts that hold for a type while it has this version.
struct CacheLine {
  Address type = 0;  ///< 0: empty.
  std::uint32_t version = 0;
  Attribute attribute = 0;  ///< Each site has one; the script's own site has many.
  std::uint32_t index = 0;  ///< For instances' attributes: index of the value.
  Address value = 0;        ///< For the type's own attribute: borrowed.
};

/// Cache of one site: polymorphic, filled round robin.
struct AttrCache {
  static constexpr std::size_t kLineCount = 4;
  std::array<CacheLine, kLineCount> lines;
  std::uint8_t next = 0;

  const CacheLine* find(Address type, Attribute attribute) const {
    for (const CacheLine& line : lines)
      if (line.type == type && line.attribute == attribute) return &line;
    return nullptr;
  }
  void fill(const CacheLine& line) {
    lines[next] = line;
    next = static_cast<std::uint8_t>((next + 1) % kLineCount);
  }
};

/// A place in the workload's code at which an attribute is stored or loaded: one for each attribute
/// of its own methods, and one for the rest of the script.
using Site = std::uint32_t;
inline constexpr Site kScriptSite = 7;
inline constexpr Site kSiteCountOfPath = 8;
constexpr Site site_of(Class of, Attribute attribute) {
  constexpr std::array<Site, kClassCountOfPath> kFirst{0, 1, 5};
  return attribute < own_attributes(of) ? kFirst[harness::raw(of)] + attribute : kScriptSite;
}

class Caches {
 public:
  explicit Caches(Core& core) : core_(core) {}

  AttrCache& store_cache(Site site) { return stores_[site]; }
  AttrCache& load_cache(Site site) { return loads_[site]; }
  CacheLine& type_cache(Class of) { return types_[harness::raw(of)]; }

  /// Caches the index of `attribute` in `type`, if it has one and the type has a version.
  void fill(AttrCache& cache, const Type& type, Attribute attribute);
  void fill_type(Class of, const Type& type, Address value);
  /// Clears every line of a type that was modified.
  void type_changed(const Type& type);

  template <class Visit>
  void for_each_filled(Visit visit) const {
    for (const auto* caches : {&stores_, &loads_})
      for (const AttrCache& cache : *caches)
        for (const CacheLine& line : cache.lines)
          if (line.type != 0) visit(line);
    for (const CacheLine& line : types_)
      if (line.type != 0) visit(line);
  }

 private:
  Core& core_;
  std::array<AttrCache, kSiteCountOfPath> stores_;
  std::array<AttrCache, kSiteCountOfPath> loads_;
  std::array<CacheLine, kClassCountOfPath> types_;
};

}  // namespace targets::managed_dict
