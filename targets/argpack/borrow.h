// SPDX-License-Identifier: Apache-2.0
// borrow: raw pointers from binding to launch, and deletion at once. Taichi as shipped.
//
// Its author says: "the arguments of a call outlive the call". So they do, at the top level; what
// they contain does not.
#pragma once

#include "targets/argpack/policy.h"

namespace targets::argpack {

class Borrow final : public Policy {
 public:
  using Policy::Policy;
};

}  // namespace targets::argpack
