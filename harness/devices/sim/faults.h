// SPDX-License-Identifier: Apache-2.0
// Faults: reports of calls and work that the documentation forbids, and of the error state after
// them.
#pragma once

#include <cuda.h>

#include "harness/core/world.h"

namespace harness::devices {

/// Ownership: borrows the world of the run. Threads: confined to the run's thread.
class Faults {
 public:
  void begin(World& world) {
    world_ = &world;
    broken_ = CUDA_SUCCESS;
  }

  /// Records a call that the documentation forbids.
  void misuse(Label kind, const char* detail, BirthId id = BirthId::none);
  /// Returns whether a repair has kept `id`, which has died, for the running function.
  bool spared(BirthId id) const { return world_->ledger.spares(id, world_->scheduler.site()); }
  /// Records a use of a dead object.
  void used_dead(BirthId id);
  /// Ends the run, because work accessed dead memory. Outside a run, the context becomes unusable,
  /// and calls return the error.
  void die(CUresult error = CUDA_ERROR_ILLEGAL_ADDRESS);

  /// Returns the error that calls return after work has failed.
  CUresult broken() const { return broken_; }
  /// Clears the error, because the context in which work failed has ended.
  void mend() { broken_ = CUDA_SUCCESS; }

 private:
  World* world_ = nullptr;
  CUresult broken_ = CUDA_SUCCESS;
};

}  // namespace harness::devices
