// SPDX-License-Identifier: Apache-2.0
// Attributes: the storage of an instance's attributes, and how they move to a dict.
//
// The three layouts differ in how the words before an object are read (`look`) and written;
// everything else uses these functions.
#pragma once

#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

struct Core;

class Attributes {
 public:
  Attributes(Core& core, Memory& memory) : core_(core), memory_(memory) {}

  /// Words of an instance. 0 for a part that does not exist; in 3.13 there can be both.
  struct Where {
    Address values;
    Address dict;
  };

  /// Returns a new instance, or 0 if there is no memory. The caller owns the reference.
  Address make(Type& type);
  void deallocate(Address object);

  // ---- PyObject_SetAttr and its kin ----
  Status set(Address object, Attribute attribute, Address value);
  /// Returns a borrowed reference, or 0.
  Address get(Address object, Attribute attribute);
  Status erase(Address object, Attribute attribute);

  // ---- the dict ----
  /// _PyObject_GetDictPtr and its callers: gives the instance a dict. Returns 0 without memory.
  Address materialise(Address object);
  /// v.__dict__ = dict. Takes over the reference to `dict`; 0 deletes.
  Status replace_dict(Address object, Address dict);
  Status set_class(Address object, Type& to);

  // ---- what the caches and the collector need ----
  Where look(Address object);
  /// Follows an object's type pointer without a check, as CPython does.
  Type& type_of(Address object);
  /// Takes a new reference.
  void store_value(Address values, std::uint32_t index, Address value);
  /// Removes all attributes of an instance, as the collector does to break a cycle.
  void clear(Address object);
  /// Releases `count` values and frees their chunk.
  void drop_values(Address values, std::uint32_t count);
  void free_values(Address values);
  /// Returns the number of values, or the index of the one inserted at `position`.
  std::uint32_t value_count(Address values) { return load_byte(count_byte(values)); }
  std::uint32_t value_index(Address values, std::uint32_t position) {
    return load_byte(order_byte(values, position));
  }
  /// Returns whether the values are part of their instance.
  bool is_inline(Address values);
  /// Returns whether the values are inline and their own flag says so.
  bool is_embedded(Address values) {
    return is_inline(values) && load_byte(values + kInlineEmbeddedOffset) != 0;
  }
  /// Returns the word at -0x18.
  std::uint64_t word(Address object) { return load(object + kWordOffset); }

  template <class Visit>
  void traverse(Address object, Visit visit);

 private:
  std::uint64_t load(Address address) { return memory_.load<std::uint64_t>(address); }
  std::uint8_t load_byte(Address address) { return memory_.load<std::uint8_t>(address); }
  void store(Address address, std::uint64_t value) { memory_.store<std::uint64_t>(address, value); }
  void store_byte(Address address, std::uint32_t value) {
    memory_.store<std::uint8_t>(address, static_cast<std::uint8_t>(value));
  }

  Address inline_values(Address object) const {
    return object + basic_bytes(Version::cpython313) + kWord;
  }
  /// Gives a new instance its values, or none if there is no memory for them.
  Birth init_values(Address object, harness::BirthId instance, Type& type);
  Address make_chunk(std::uint32_t size);
  void set_values(Address object, Address values);
  /// Writes the dict into the word, in place of the values.
  void publish_dict(Address object, Address dict);

  // ---- insertion order ----
  Address count_byte(Address values) const;
  Address order_byte(Address values, std::uint32_t position);
  void append_order(Address values, std::uint32_t index);
  void remove_order(Address values, std::uint32_t index);

  Core& core_;
  Memory& memory_;
};

template <class Visit>
void Attributes::traverse(Address object, Visit visit) {
  const Where where = look(object);
  if (where.values != 0) {
    const Type& type = type_of(object);
    for (std::uint32_t i = 0; i < type.keys.entry_count(); ++i)
      if (const Address value = load(where.values + i * kWord)) visit(value);
  }
  if (where.dict != 0) visit(where.dict);
}

}  // namespace targets::managed_dict
