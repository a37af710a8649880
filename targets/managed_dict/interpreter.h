// SPDX-License-Identifier: Apache-2.0
// Interpreter: the modelled interpreter behind the path's interface.
#pragma once

#include "targets/managed_dict/inspector.h"
#include "targets/managed_dict/program/program.h"

namespace targets::managed_dict {

/// Ownership: in the run's arena, like its core.
class Interpreter final : public ManagedDict {
 public:
  explicit Interpreter(Core& core)
      : jit_(core.jit), program_(core), inspector_(core, program_.variables()) {}

  Status init() override { return program_.open(); }
  Program& statements() override { return program_; }
  Jit& jit() override { return jit_; }
  Inspector& inspection() override { return inspector_; }

 private:
  Jit& jit_;
  Program program_;
  Inspector inspector_;
};

}  // namespace targets::managed_dict
