// SPDX-License-Identifier: Apache-2.0
// never_unmap: mappings are counted up and never down. UCC before 5c29031b (#642).
//
// Rationale: a cache is there to keep mappings. The flaw: no mapping is ever released.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class NeverUnmap final : public Policy {
 public:
  using Policy::Policy;
  void unmap(Mappings&, Side, std::uint32_t) override {}
};

}  // namespace targets::alltoallv
