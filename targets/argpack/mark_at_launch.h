// SPDX-License-Identifier: Apache-2.0
// mark_at_launch: used_in_kernel() for every backend, as gfx has it. The report's option C.
//
// Its author says: "what a launch uses cannot be deleted". It is marked when the launch begins,
// which is after every window; the packs' marks are never cleared, and requests to delete what is
// marked are dropped: every pack that was ever launched lives as long as its program.
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
