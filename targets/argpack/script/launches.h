// SPDX-License-Identifier: Apache-2.0
// Launches: the steps after the arguments are set: compile, launch, and wait for the value.
#pragma once

#include "targets/argpack/script/externals.h"

namespace targets::argpack {

/// Ownership: borrows the policy and the external arrays.
class Launches : private Steps {
 public:
  Launches(Core& core, Policy& policy, ExternalArrays& externals)
      : Steps(core), policy_(policy), externals_(externals) {}

  /// `prog` is a local of the calling frame: it is loaded here, and launch() uses the same program.
  /// If it is null, compile and launch each use the program that is current then.
  Status compile(const harness::Ref& context, ProgramLocal* prog = nullptr);
  /// Launches the kernel; with `returns`, waits for the result and reports it. Then runs the
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
