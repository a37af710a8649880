// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/process.h"

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

// Leaves the caches and their mappings open, as upstream does, unless mappings are counted.
void Process::close() {
  const Core& core = rank_.core;
  const harness::SiteScope site(core.scheduler, "close");
  requests_.stop_threads();
  rank_.tensors.drop_all();
  if (core.policy->close_rule() == CloseRule::counted) rank_.caches.destroy();
  rank_.context.destroy();
}

}  // namespace targets::alltoallv
