// SPDX-License-Identifier: Apache-2.0
// Program: implements the script's statements in the modelled interpreter.
#pragma once

#include "targets/managed_dict/program/guards.h"
#include "targets/managed_dict/program/variables.h"
#include "targets/managed_dict/program/workload.h"

namespace targets::managed_dict {

/// Ownership: owned by the interpreter; borrows its core.
class Program final : public Statements {
 public:
  explicit Program(Core& core)
      : core_(core),
        code_(core),
        noise_(core),
        workload_(core, code_, noise_),
        guards_(core, variables_) {
    core.release_code = &guards_;
  }
  Program(const Program&) = delete;  // Its parts point at each other.
  Program& operator=(const Program&) = delete;

  /// Makes everything that must exist before the first statement.
  Status open();
  const Variables& variables() const { return variables_; }

  Status new_instance(Variable into, Class of) override;
  Status del_instance(Variable variable) override;
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind) override;
  Status load_attr(Variable variable, Attribute attribute) override;
  Status delete_attr(Variable variable, Attribute attribute) override;
  Status access_dict(Variable variable) override;
  Status replace_dict(Variable variable) override;
  Status delete_dict(Variable variable) override;
  Status set_class(Variable variable, Class to) override;
  Status set_type_attr(Class of) override;
  Status subclass(Class of) override;
  Status collect() override;
  Status hold_noise(std::uint32_t bytes) override { return noise_.hold(bytes); }
  Status drop_noise() override { return noise_.drop(); }
  Status with_block(std::uint32_t depth, Body body) override {
    return workload_.with_block(depth, body);
  }
  Status launch(Variable variable) override;
  bool clear_up() override;

 private:
  Core& core_;
  Bytecodes code_;
  Noise noise_;
  Workload workload_;
  Variables variables_;
  Guards guards_;
};

}  // namespace targets::managed_dict
