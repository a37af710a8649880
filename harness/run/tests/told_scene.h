// SPDX-License-Identifier: Apache-2.0
// ToldScene: a run in which nothing runs. A test tells its judges facts, one by one.
#pragma once

#include "harness/core/pick/replay.h"
#include "harness/run/scenario/scenario.h"

namespace harness::testing {

/// A tape answers, which is empty by default; the variant is the first, the config the default one.
/// Lifetime: while it lives, its world is current.
class ToldScene {
 public:
  explicit ToldScene(const Scenario& scenario, const Tape& tape = {}) : replay_(tape) {
    constexpr Tick kTurnLimit = 100;
    world_.begin(replay_, kTurnLimit);
    scene_.begin(scenario, 0, {});
  }

  World& world() { return world_; }
  Scene& scene() { return scene_; }
  const Scene& scene() const { return scene_; }

 private:
  World world_;
  Scene scene_{world_};
  const World::Guard guard_{world_};
  Replay replay_;
};

}  // namespace harness::testing
