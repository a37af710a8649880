// SPDX-License-Identifier: Apache-2.0
// handle_by_value: the context copies the DeviceAllocation out of the pack. The report's option B.
//
// Its author says: "no pointer to the host object, no use after free". The copy is a handle, not
// ownership: its allocation is freed nevertheless, and on gfx another one has the id by then.
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
