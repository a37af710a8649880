// Launches: what follows once the arguments are set: compile, launch, and wait for the value.
#pragma once

#include "targets/argpack/script/steps.h"

namespace targets::argpack {

/// Ownership: borrows the policy.
class Launches : private Steps {
 public:
  Launches(Core& core, Policy& policy) : Steps(core), policy_(policy) {}

  Status compile(const harness::Ref& context);
  /// Launches the kernel; with `returns` it waits for the result and tells it.
  Status launch(const harness::Ref& context, bool returns);

 private:
  Status launch_now(const Ref& context, bool returns);
  Status wait_for_result(const Ref& context);

  Policy& policy_;
};

}  // namespace targets::argpack
