// SPDX-License-Identifier: Apache-2.0
// Detour: a path whose statements are routed through another object first.
#pragma once

#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

/// Ownership: in the run's arena; borrows the path and the statements.
class Detour final : public targets::managed_dict::ManagedDict {
 public:
  using Inspection = targets::managed_dict::Inspection;
  using JitControl = targets::managed_dict::JitControl;
  using Statements = targets::managed_dict::Statements;
  using Status = targets::managed_dict::Status;

  Detour(ManagedDict& path, Statements& way) : path_(path), way_(way) {}

  Status init() override { return path_.init(); }
  Statements& statements() override { return way_; }
  JitControl& jit() override { return path_.jit(); }
  Inspection& inspection() override { return path_.inspection(); }

 private:
  ManagedDict& path_;
  Statements& way_;
};

}  // namespace scenarios::managed_dict
