// Launches: what follows once the arguments are set: compile, launch, and wait for the value.
#pragma once

#include "targets/argpack/script/externals.h"

namespace targets::argpack {

/// Ownership: borrows the policy and the external arrays.
class Launches : private Steps {
 public:
  Launches(Core& core, Policy& policy, ExternalArrays& externals)
      : Steps(core), policy_(policy), externals_(externals) {}

  Status compile(const harness::Ref& context);
  /// Launches the kernel; with `returns` it waits for the result and tells it. Then come the
  /// callbacks.
  Status launch(const harness::Ref& context, bool returns);

 private:
  Status launch_now(const Ref& context, bool returns);
  Status wait_for_result(const Ref& context);
  Status call_back(const Ref& context);

  Policy& policy_;
  ExternalArrays& externals_;
};

}  // namespace targets::argpack
