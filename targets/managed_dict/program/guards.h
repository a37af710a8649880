// SPDX-License-Identifier: Apache-2.0
// Guards: values that run script code when they die: `v.a = Guard()`, where the callback of a weak
// reference, or __del__, reads `v.a` again. Each runs once.
//
// Simplified: the code is not interrupted (no eval breaker), and weak references are stored here,
// not in a word of the instance.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/program/variables.h"

namespace targets::managed_dict {

/// Ownership: owned by the program; borrows its variables. Guards belong to the holders of their
/// references.
class Guards final : public ReleaseCode {
 public:
  Guards(Core& core, const Variables& variables) : core_(core), variables_(variables) {}

  static bool is_one(ValueKind kind) {
    return kind == ValueKind::called_back || kind == ValueKind::finalized;
  }
  /// Returns a new reference to a new instance that reads `variable.attribute` when it dies; 0 if
  /// there is no memory.
  Address make(ValueKind kind, Variable variable, Attribute attribute);

  bool released(Address object) override;

 private:
  struct Guard {
    Address object;
    ValueKind kind;
    Variable variable;
    Attribute attribute;
  };
  void look(const Guard& guard);
  bool finalize(const Guard& guard);

  Core& core_;
  const Variables& variables_;
  std::pmr::vector<Guard> guards_;
};

}  // namespace targets::managed_dict
