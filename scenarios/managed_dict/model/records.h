// SPDX-License-Identifier: Apache-2.0
// Records: an instance by the facts that the path reports, and an object of the script by the rules
// of Python.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {

using targets::managed_dict::Address;
using targets::managed_dict::Attribute;
using targets::managed_dict::Class;
using targets::managed_dict::Status;
using targets::managed_dict::ValueKind;
using targets::managed_dict::Variable;
using targets::managed_dict::Version;

/// Attributes with a value each, in insertion order, which is that of vars(). Copyable.
template <class Value>
class Contents {
 public:
  struct Entry {
    Attribute attribute;
    Value value;
  };

  /// Returns the value of the attribute, or null.
  const Value* find(Attribute attribute) const {
    const auto found = std::ranges::find(entries(), attribute, &Entry::attribute);
    return found != entries().end() ? &found->value : nullptr;
  }
  /// Adds the attribute, or changes its value. A key keeps its position when its value changes.
  void set(Attribute attribute, const Value& value) {
    const auto found = std::ranges::find(entries(), attribute, &Entry::attribute);
    Entry& entry = found != entries().end() ? *found : entries_[count_++];
    entry = {attribute, value};
  }
  void erase(Attribute attribute) {
    const auto gone = std::ranges::remove(entries(), attribute, &Entry::attribute);
    count_ -= static_cast<std::uint32_t>(gone.size());
  }
  void clear() { count_ = 0; }
  std::uint32_t count() const { return count_; }

  std::span<Entry> entries() { return {entries_.data(), count_}; }
  std::span<const Entry> entries() const { return {entries_.data(), count_}; }

 private:
  std::uint32_t count_ = 0;
  std::array<Entry, targets::managed_dict::kAttributeLimit> entries_;
};

// ---- by facts -----------------------------------------------------------------------------------

/// Last value of an attribute.
struct Stored {
  Address address;
  std::int64_t number;  ///< Value of an int or bool; 0 for other objects.
};

/// A live instance, whatever happens to its bytes.
struct Instance {
  explicit Instance(const targets::managed_dict::Birth& birth)
      : id(birth.instance),
        object(birth.object),
        values(birth.values),
        given(birth.values),
        values_id(birth.chunk) {}

  harness::BirthId id;
  Address object;
  Address values;  ///< Expected address of values[0]; 0 once a dict took them.
  Address given;   ///< Address of values[0] at its birth.
  harness::BirthId values_id;
  Address dict = 0;     ///< Published dict; 0 if none.
  bool judged = false;  ///< Its word was found wrong.
  Contents<Stored> attributes;
};

/// Arguments of the kernel autocast_step, from the attributes of the context managers.
struct KernelArguments {
  std::int32_t enabled = 1;
  std::int32_t dtype = 3;
  std::int32_t scale = 1;
};

// ---- by statements ------------------------------------------------------------------------------

/// Kind of object that an attribute refers to.
enum class Kept : std::uint8_t { number, boolean, shared, itself, guard };

/// The value that an attribute must have.
struct Promised {
  Kept kept;
  std::int64_t number;  ///< 0 until it was read: the path chooses the values of new numbers.
};

/// An instance that a variable refers to, or the result of vars(), as a script can read it.
struct Object {
  struct Form {
    bool defined = false;
    Class of = Class::no_grad;
    bool has_dict = false;
    bool has_values = false;    ///< Its attributes are in values: its own, or its dict's.
    bool known = true;          ///< False if a statement failed half way.
    bool has_new_name = false;  ///< The last statement stored to a new attribute.
  };

  Form form;
  Contents<Promised> contents;

  std::uint32_t count(Kept kept) const {
    return static_cast<std::uint32_t>(std::ranges::count(
        contents.entries(), kept, [](const auto& entry) { return entry.value.kept; }));
  }
};

/// One statement of a script, with its arguments. Those that its op does not have keep their
/// defaults.
struct Statement {
  Op op;
  Variable variable = 0;
  Attribute attribute = 0;
  ValueKind kind = ValueKind::number;
  Class of = Class::no_grad;
  std::uint32_t bytes = 0;
  std::uint32_t depth = 0;  ///< The depth of a with block; 0 if there is none.
  targets::managed_dict::Body body = targets::managed_dict::Body::launch;
  targets::managed_dict::Function function = targets::managed_dict::Function::script;
};

}  // namespace scenarios::managed_dict
