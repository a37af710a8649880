// SPDX-License-Identifier: Apache-2.0
// ScriptGlobals: a module's variables, which all tasks share.
#pragma once

#include "targets/argpack/script/steps.h"

namespace targets::argpack {

/// Ownership: holds the script's globals; the heap owns the objects. Never destroyed.
class ScriptGlobals final : public Globals, private Steps {
 public:
  explicit ScriptGlobals(Core& core) : Steps(core) {}

  Status alias(Variable into, Variable from) override;
  Status drop(Variable variable) override;
  Status drop_all() override;
  Kind kind(Variable variable) const override;
  std::uint32_t depth(Variable variable) const override;

  // ---- for the other parts of the script ----
  /// Loads the value of the variable; the second overload requires this type.
  Status load(Variable variable, harness::Ref& loaded);
  Status load(Variable variable, const harness::TypeInfo& type, harness::Ref& loaded);
  void store(Variable variable, harness::Ref value);
  /// Returns the value of the variable, which may be empty, without a step.
  const harness::Ref& peek(Variable variable) const { return variables_[variable]; }
  bool all_dropped() const { return all_dropped_; }

 private:
  bool all_dropped_ = false;
  std::array<harness::Ref, kVariableCount> variables_;
};

}  // namespace targets::argpack
