// SPDX-License-Identifier: Apache-2.0
// ScriptedScene: a scene without a running program. A test reports facts to its judges one by one.
#pragma once

#include "harness/core/pick/replay.h"
#include "harness/run/scenario/scenario.h"

namespace harness::testing {

/// Answers come from a tape, which is empty by default. Uses the first variant and default config.
/// Lifetime: while it lives, its world is current.
class ScriptedScene {
 public:
  explicit ScriptedScene(const Scenario& scenario, const Tape& tape = {}) : replay_(tape) {
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
