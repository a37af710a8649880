// SPDX-License-Identifier: Apache-2.0
// Objects: reference counts as in 3.12, and ints.
//
// Increment and decrement are asymmetric: INCREF adds to the low 32 bits and is skipped only if
// they would wrap to 0; DECREF subtracts from all 64 and is skipped if bit 31 is set. Both are
// correct for real counts and for immortals. On a word that is not a count they do not cancel out.
#pragma once

#include <optional>

#include "targets/managed_dict/memory.h"

namespace targets::managed_dict {

struct Core;

class Objects {
 public:
  explicit Objects(Core& core) : core_(core) {}

  /// Takes or drops a strong reference. Dropping the last one deallocates the object.
  void incref(Address object);
  void decref(Address object);
  void xdecref(Address object) {
    if (object != 0) decref(object);
  }

  // ---- the instructions alone: what a compiler emits, whatever the word is ----
  void increment(Address word);
  /// Returns whether the count reached 0.
  bool decrement(Address word);
  void deallocate(Address object);

  /// Returns a new int, or 0 if there is no memory. The caller owns the reference.
  Address new_number(std::int64_t value);
  /// Returns the value of an int or bool; nothing for other objects (TypeError).
  std::optional<std::int64_t> number(Address object);

 private:
  /// Reports a compiled count at an odd address, where no object begins.
  void tell_observer_of_odd(Address word);

  Core& core_;
};

}  // namespace targets::managed_dict
