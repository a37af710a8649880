// SPDX-License-Identifier: Apache-2.0
// pin_top_level: `tmps.append(v)` for the arguments of the call, but not for nested packs.
//
// Rationale: "the pack that is passed stays alive". The flaw: it did so before, because the call's
// tuple of arguments holds it.
#pragma once

#include "targets/argpack/policy.h"

namespace targets::argpack {

class PinTopLevel final : public Policy {
 public:
  using Policy::Policy;
  bool pins(std::uint32_t level) const override { return level == 0; }
};

}  // namespace targets::argpack
