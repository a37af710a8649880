// SPDX-License-Identifier: Apache-2.0
// reread_slot: the key to unmap is read from the peer's slot again, after the completion barrier.
// UCC from 5c29031b (#642, v1.2.0) to v1.8.0.
//
// Rationale: no rank writes a slot before the next setup barrier. The flaw: in fact no rank
// *passes* that barrier, but ranks write before it.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class RereadSlot final : public Policy {
 public:
  using Policy::Policy;
};

}  // namespace targets::alltoallv
