// SPDX-License-Identifier: Apache-2.0
// Dicts: split dicts (with an instance's values) and combined dicts (with a table).
#pragma once

#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

struct Core;
struct Type;

/// Returns the number of values that the class's shared keys name.
std::uint32_t value_count(const Type& type);

class Dicts {
 public:
  Dicts(Core& core, Memory& memory) : core_(core), memory_(memory) {}

  /// Returns a dict over `values` of `type`, or an empty combined one if `values` is 0. Returns 0
  /// if there is no memory.
  Address make(const Type* type, Address values, std::uint32_t used);

  /// PyDict_SetItem: checks only the type of its argument. Takes a new reference.
  Status set(Address dict, Attribute attribute, Address value);
  /// Returns a borrowed reference, or 0.
  Address get(Address dict, Attribute attribute);
  Status erase(Address dict, Attribute attribute);
  /// Copies the values of a split dict into a table, and frees them.
  Status detach(Address dict);
  /// Frees the values of a split dict, which is then empty.
  void forsake(Address dict);
  void deallocate(Address dict);
  /// Removes all items, as the collector does to break a cycle.
  void clear(Address dict);

  /// Calls `visit(value)` for every value, except those that are part of an instance.
  template <class Visit>
  void traverse(Address dict, Visit visit);

 private:
  Status check(Address dict);
  Address values(Address dict) { return word(dict + kDictValuesOffset); }
  Address table(Address dict) { return word(dict + kDictKeysOffset); }
  Type* keys(Address dict);
  bool shares_values(Address values);
  std::uint64_t word(Address address) { return memory_.load<std::uint64_t>(address); }
  void put(Address address, std::uint64_t value) { memory_.store<std::uint64_t>(address, value); }

  /// Returns the address of the attribute's value in a table, or 0 if there is none.
  Address find(Address table, Attribute attribute);
  Status insert(Address dict, Attribute attribute, Address value);
  Address make_table(std::uint32_t capacity);
  Address grow(Address table);
  void append(Address table, Attribute attribute, Address value);
  void count_used(Address dict, std::int64_t by);
  static Address entry(Address table, std::uint64_t index) {
    return table + kTableHeaderBytes + index * 2 * kWord;
  }

  Core& core_;
  Memory& memory_;
};

template <class Visit>
void Dicts::traverse(Address dict, Visit visit) {
  if (const Address values = this->values(dict)) {
    if (shares_values(values)) return;
    const Type* type = keys(dict);
    for (std::uint32_t i = 0; type != nullptr && i < value_count(*type); ++i)
      if (const Address value = word(values + i * kWord)) visit(value);
  } else if (const Address table = this->table(dict)) {
    const std::uint64_t count = word(table + kWord);
    for (std::uint64_t i = 0; i < count; ++i) visit(word(entry(table, i) + kWord));
  }
}

}  // namespace targets::managed_dict
