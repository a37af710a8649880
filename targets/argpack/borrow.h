// SPDX-License-Identifier: Apache-2.0
// borrow: raw pointers from binding to launch, and immediate deletion. Taichi as shipped.
//
// Rationale: "the arguments of a call outlive the call". The flaw: that holds only for the
// arguments themselves, not for nested objects.
#pragma once

#include "targets/argpack/policy.h"

namespace targets::argpack {

class Borrow final : public Policy {
 public:
  using Policy::Policy;
};

}  // namespace targets::argpack
