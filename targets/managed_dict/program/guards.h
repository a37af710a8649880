// SPDX-License-Identifier: Apache-2.0
// Guards: values that run code of the script when they go: `v.a = Guard()`, where a weak
// reference's callback, or __del__, reads `v.a` again. Each runs once.
//
// Simplified: the code is not interrupted (no eval breaker), and a weak reference is a row here, no
// word of the instance.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/program/variables.h"

namespace targets::managed_dict {

/// Ownership: the program's; borrows its variables. The guards are code that's their references
/// are.
class Guards final : public ReleaseCode {
 public:
  Guards(Core& core, const Variables& variables) : core_(core), variables_(variables) {}

  static bool is_one(ValueKind kind) {
    return kind == ValueKind::called_back || kind == ValueKind::finalized;
  }
  /// A new reference to a new instance that looks at `variable.attribute` when it goes; 0 without
  /// memory.
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
