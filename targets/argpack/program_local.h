// SPDX-License-Identifier: Apache-2.0
// ProgramLocal: a local of a Python frame that refers to a program, once it was loaded.
#pragma once

#include "targets/argpack/core.h"
#include "targets/argpack/program.h"

namespace targets::argpack {

/// Ownership: the program stays for as long as the frame, and goes with its last reference. Borrows
/// the core.
class ProgramLocal {
 public:
  explicit ProgramLocal(Core& core) : core_(core) {}
  ~ProgramLocal() {
    if (program_ == nullptr) return;
    core_.objects.pass();
    if (!program_->unrefer()) return;
    const CCall call(core_);
    program_->destroy();
  }
  ProgramLocal(const ProgramLocal&) = delete;  // It counts as one reference.
  ProgramLocal& operator=(const ProgramLocal&) = delete;

  /// prog = get_runtime().prog, the first time. Returns the program that it refers to, or null.
  Program* load() {
    if (program_ != nullptr || core_.program == nullptr) return program_;
    program_ = core_.program;
    program_->refer();
    return program_;
  }

 private:
  Core& core_;
  Program* program_ = nullptr;
};

}  // namespace targets::argpack
