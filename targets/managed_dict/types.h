// SPDX-License-Identifier: Apache-2.0
// Types: the classes of the workload and the builtin types, with the keys that instances share.
//
// A type's flags, version tag and class attribute are bytes; its shared keys are not, because only
// the interpreter writes to them. CPython keeps both in the type's heap object.
#pragma once

#include <array>

#include "targets/managed_dict/memory.h"
#include "targets/managed_dict/vocabulary.h"

namespace targets::managed_dict {

struct Setup;

/// Names whose values the instances of one class store, in insertion order.
class SharedKeys {
 public:
  SharedKeys() { index_of_.fill(-1); }

  std::uint32_t entry_count() const { return entry_count_; }
  std::uint32_t usable() const { return usable_; }
  /// Returns the number of values that a new instance has room for.
  std::uint32_t size() const { return entry_count_ + usable_; }
  /// Returns the index of an attribute, or -1 if it is not among them.
  int index(Attribute attribute) const { return index_of_[attribute]; }
  Attribute attribute(std::uint32_t index) const { return attribute_of_[index]; }

  /// Returns the new index, or -1 if there is no room.
  int insert(Attribute attribute) {
    if (usable_ == 0) return -1;
    --usable_;
    attribute_of_[entry_count_] = static_cast<std::uint8_t>(attribute);
    index_of_[attribute] = static_cast<std::int8_t>(entry_count_);
    return static_cast<int>(entry_count_++);
  }
  /// Shrinks the room of later instances, down to one spare value. Called for each new instance.
  void shrink() {
    if (usable_ > 1) --usable_;
  }

 private:
  std::array<std::int8_t, kAttributeLimit> index_of_;
  std::array<std::uint8_t, kSharedKeysLimit> attribute_of_;
  std::uint32_t entry_count_ = 0;
  std::uint32_t usable_ = kSharedKeysLimit;
};

struct Type {
  Address address = 0;
  Class of = Class::no_grad;
  std::uint32_t index = 0;
  SharedKeys keys;
};

/// Returns the number of attributes that a class's own methods store.
constexpr std::uint32_t own_attributes(Class of) {
  constexpr std::array<std::uint32_t, kClassCountOfPath> kCounts{1, 4, 2};
  return kCounts[harness::raw(of)];
}

class Types {
 public:
  Types(Memory& memory, const Setup& setup);

  // ---- builtin ----
  Address int_type() const { return builtin(0); }
  Address dict_type() const { return builtin(1); }
  Address none() const { return builtin(4); }
  Address boolean(bool value) const { return builtin(value ? 6 : 5); }
  bool is_static_object(Address type) const { return type == builtin(2) || type == builtin(3); }
  /// Returns the head of the collector's list, which has two words.
  Address gc_head() const { return builtin(7); }

  // ---- classes ----
  /// Returns the type that the class's name is bound to: the class or its new subclass.
  Type& named(Class of) { return types_[bound_[harness::raw(of)]]; }
  const Type& named(Class of) const { return types_[bound_[harness::raw(of)]]; }
  Type& base(Class of) { return types_[harness::raw(of)]; }
  /// Returns the class with a type object at `address`, or null.
  const Type* at(Address address) const;
  Type* at(Address address) {
    return const_cast<Type*>(static_cast<const Types&>(*this).at(address));
  }
  bool is_subclassed(Class of) const { return bound_[harness::raw(of)] >= kClassCountOfPath; }
  /// Binds the class's name to a new subclass. Once per class.
  void subclass(Class of);
  std::span<const Type> all() const { return {types_.data(), type_count_}; }

  std::uint32_t version(const Type& type) const {
    return memory_.peek<std::uint32_t>(type.address + kTypeVersionOffset);
  }
  /// Gives the type a version tag if it has none.
  std::uint32_t assign_version(const Type& type);

 private:
  static constexpr std::uint32_t kBuiltinCount = 8;
  static constexpr std::uint32_t kTypeLimit = 2 * kClassCountOfPath;

  Address builtin(std::uint32_t index) const { return builtins_ + Address{index} * kStaticBytes; }
  void add_builtins();
  void add_object(Address type);
  Type& add_class(Class of);

  Memory& memory_;
  Version layout_;
  Address builtins_ = 0;
  std::array<Type, kTypeLimit> types_;
  std::uint32_t type_count_ = 0;
  std::array<std::uint8_t, kClassCountOfPath> bound_{0, 1, 2};
  std::uint32_t next_version_ = 1;
};

}  // namespace targets::managed_dict
