// SPDX-License-Identifier: Apache-2.0
// check_generation: slots are tagged, and a key is only used if the tag was right before and after.
//
// Its author says: a stale key is seen, and tried again. It is seen; but no retry brings the old
// key back. After a few it gives up, and the mapping stays counted for ever.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class CheckGeneration final : public Policy {
 public:
  using Policy::Policy;
  bool tags_slots() const override { return true; }
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override;

 private:
  static constexpr int kAttempts = 3;
};

}  // namespace targets::alltoallv
