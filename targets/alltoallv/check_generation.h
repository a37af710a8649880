// SPDX-License-Identifier: Apache-2.0
// check_generation: slots are tagged; a key is used only if the tag matches before and after.
//
// Rationale: a stale key is detected and the read is retried. The flaw: no retry brings the old key
// back, so after a few attempts the policy gives up and the mapping stays counted for ever.
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
