// SPDX-License-Identifier: Apache-2.0
// Objects: reference counts as in 3.12, and ints.
//
// Asymmetric: INCREF adds to the low 32 bits and is skipped only if they would wrap to 0; DECREF
// subtracts from all 64 and is skipped if bit 31 is set. Both are right for real counts and for
// immortals. On a word that is not a count they do not undo each other.
#pragma once

#include <optional>

#include "targets/managed_dict/memory.h"

namespace targets::managed_dict {

struct Core;

class Objects {
 public:
  explicit Objects(Core& core) : core_(core) {}

  /// A strong reference is taken, or given up. The last one's end is the object's.
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
  /// Returns the number that an int, or True, stands for; nothing for other objects (TypeError).
  std::optional<std::int64_t> number(Address object);

 private:
  /// No object begins at an odd address: that compiled code counts there is a fact.
  void tell_observer_of_odd(Address word);

  Core& core_;
};

}  // namespace targets::managed_dict
