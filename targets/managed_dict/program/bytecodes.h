// SPDX-License-Identifier: Apache-2.0
// Bytecodes: single bytecodes of the program, compiled or interpreted.
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// Ownership: owned by the program; holds all _Autocasts' dtype from open() to close().
class Bytecodes {
 public:
  explicit Bytecodes(Core& core) : core_(core) {}

  Status open();
  void close() { core_.objects.decref(std::exchange(dtype_, 0)); }

  /// Runs between bytecodes: the GIL may change hands, and the collector may run.
  void eval_breaker();
  /// Stores, and drops the caller's reference to `value`.
  Status store(Function in, Address object, Attribute attribute, Address value);
  Address load(Function in, Address object, Attribute attribute);
  Address load_type_attr(Function in, Class of);

  /// Returns a new reference to a value of that kind, or 0.
  Address make_value(ValueKind kind, Address object);
  Address new_reference(Address object) {
    core_.objects.incref(object);
    return object;
  }
  Address new_number();
  Address dtype() const { return dtype_; }

 private:
  Core& core_;
  Address dtype_ = 0;
  std::uint32_t next_number_ = 0;
};

}  // namespace targets::managed_dict
