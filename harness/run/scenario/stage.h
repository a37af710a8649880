// SPDX-License-Identifier: Apache-2.0
// Stage: everything that the tasks of one run share, in a path whose judges receive its facts.
#pragma once

#include <span>

#include "harness/driver/runtime.h"
#include "harness/run/scenario/chooser.h"
#include "harness/run/scenario/team.h"

namespace harness {

/// `Judges` is made from the scene; `Player` from the scene, the judges and a theme of the path.
/// `Shape` has the number of slots and mutators. Allocated in the run's arena.
template <class Judges, class Player, class Shape>
struct Stage {
  Scene& scene;
  Runtime runtime;  ///< The path borrows it.
  Judges judges;
  Player player;
  Shape shape;
  Team team;

  /// Chooses one of `themes`.
  template <class Theme>
  Stage(Scene& the_scene, const Shape& the_shape, std::span<const Theme> themes)
      : scene(the_scene),
        runtime(the_scene.runtime()),
        judges(the_scene),
        player(the_scene, judges, choose_theme(the_scene, themes)),
        shape(the_shape),
        team(the_scene.world().scheduler, "mutator", the_shape.mutator_count) {}
};

}  // namespace harness
