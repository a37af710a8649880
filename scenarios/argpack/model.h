// SPDX-License-Identifier: Apache-2.0
// Model: the script's actions in the judges' terms, from the facts of the path.
//
// It knows what every variable refers to, the values assigned to each thing, the bindings of each
// context, and what can still be used. It judges nothing; the judges compare with it. The target
// updates it only by facts, and the values in a fact are those that the scenario assigned (which
// Witness checks).
#pragma once

#include "scenarios/argpack/contexts.h"

namespace scenarios::argpack {

/// Ownership: in the run's arena. Threads: facts come in the order of the path's own locks, which
/// TSan knows.
struct Model {
  explicit Model(harness::Scene& scene) : things(scene, progress), contexts(things, progress) {}
  Model(const Model&) = delete;  // Its parts point at each other.
  Model& operator=(const Model&) = delete;

  Progress progress;
  Things things;
  Contexts contexts;
};

}  // namespace scenarios::argpack
