// SPDX-License-Identifier: Apache-2.0
// mark_at_launch: used_in_kernel() for every backend, as gfx has it. The report's option C.
//
// Rationale: "objects used by a launch cannot be deleted". The flaw: marks are set when the launch
// begins, after every window. The packs' marks are never cleared, and requests to delete a marked
// object are dropped: every pack that was ever launched leaks until its program ends.
#pragma once

#include "targets/argpack/policy.h"

namespace targets::argpack {

class MarkAtLaunch final : public Policy {
 public:
  using Policy::Policy;

  void synchronized(Program&) override { marks_.arrays.clear(); }

 protected:
  bool marks_at_launch() const override { return true; }
};

}  // namespace targets::argpack
