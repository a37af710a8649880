// SPDX-License-Identifier: Apache-2.0
// Inspector: read access to a running interpreter, which changes nothing.
#pragma once

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/program/variables.h"

namespace targets::managed_dict {

/// Ownership: owned by the interpreter; borrows its core and the script's variables.
class Inspector final : public Inspection {
 public:
  Inspector(Core& core, const Variables& variables) : core_(core), variables_(variables) {}

  Version layout() const override { return core_.setup.version; }
  const HeapView& heap() const override { return core_.view; }
  View view(Variable variable) override;
  View held_view() override;
  std::uint64_t class_references() override;
  std::uint32_t class_version(Class of) override {
    return core_.types.version(core_.types.named(of));
  }

 private:
  Core& core_;
  const Variables& variables_;
};

}  // namespace targets::managed_dict
