// SPDX-License-Identifier: Apache-2.0
#include "harness/core/world.h"

namespace harness {

void World::begin(Strategy& strategy, Tick turn_limit) {
  arena.reset();
  picker.begin(strategy);
  history.begin();
  scheduler.begin(turn_limit);
  ledger.begin();
  host.begin();
  heap.begin();
  calls_may_fail = false;
  injected_failures = 0;
}

}  // namespace harness
