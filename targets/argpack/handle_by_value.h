// SPDX-License-Identifier: Apache-2.0
// handle_by_value: the context copies the DeviceAllocation from the pack. The report's option B.
//
// Rationale: "no pointer to the host object, no use after free". The flaw: the copy is a handle,
// not ownership. Its allocation is still freed, and on gfx another one may then have the id.
#pragma once

#include "targets/argpack/policy.h"

namespace targets::argpack {

class HandleByValue final : public Policy {
 public:
  using Policy::allocation_of;
  using Policy::bound;
  using Policy::Policy;

  void bound(LaunchContext&, PackArgument& argument) override {
    argument.handle = argument.pack->allocation();
  }
  DeviceAllocation allocation_of(const PackArgument& argument) override { return argument.handle; }
};

}  // namespace targets::argpack
