// SPDX-License-Identifier: Apache-2.0
// ProgramLocal: a local variable of a Python frame that refers to a program once it is loaded.
#pragma once

#include "targets/argpack/core.h"
#include "targets/argpack/program.h"

namespace targets::argpack {

/// Ownership: keeps the program as long as the frame exists; destroys it if its reference is the
/// last. Borrows the core.
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

  /// prog = get_runtime().prog, on the first call. Returns the local's program, or null.
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
