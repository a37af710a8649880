// SPDX-License-Identifier: Apache-2.0
// Launches: what follows once the arguments are set: compile, launch, and wait for the value.
#pragma once

#include "targets/argpack/script/externals.h"

namespace targets::argpack {

/// Ownership: borrows the policy and the external arrays.
class Launches : private Steps {
 public:
  Launches(Core& core, Policy& policy, ExternalArrays& externals)
      : Steps(core), policy_(policy), externals_(externals) {}

  /// `prog` is the frame's: it is loaded here, and the launch continues with it. Null: compile and
  /// launch are calls of the program of then, each.
  Status compile(const harness::Ref& context, ProgramLocal* prog = nullptr);
  /// Launches the kernel; with `returns` it waits for the result and tells it. Then come the
  /// callbacks.
  Status launch(const harness::Ref& context, bool returns, ProgramLocal* prog = nullptr);

 private:
  Status launch_now(const Ref& context, bool returns, ProgramLocal* prog);
  Status wait_for_result(const Ref& context);
  Status call_back(const Ref& context);

  Policy& policy_;
  ExternalArrays& externals_;
};

}  // namespace targets::argpack
