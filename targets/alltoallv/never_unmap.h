// SPDX-License-Identifier: Apache-2.0
// never_unmap: mappings are counted up and never down. UCC before 5c29031b (#642).
//
// Its author says: the cache is there to keep them. So it is; but nothing is ever let go of.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class NeverUnmap final : public Policy {
 public:
  using Policy::Policy;
  void unmap(Mappings&, Side, std::uint32_t) override {}
};

}  // namespace targets::alltoallv
