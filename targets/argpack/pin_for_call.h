// SPDX-License-Identifier: Apache-2.0
// pin_for_call: `tmps.append(v)` after each set_arg_argpack. The report's option A.
//
// Rationale: "the wrapper cannot be collected while the call runs". True of packs in @ti.kernel
// calls. The flaw: not of gradients, external memory, programs, or contexts made by hand.
#pragma once

#include "targets/argpack/policy.h"

namespace targets::argpack {

class PinForCall final : public Policy {
 public:
  using Policy::Policy;
  bool pins(std::uint32_t) const override { return true; }
};

}  // namespace targets::argpack
