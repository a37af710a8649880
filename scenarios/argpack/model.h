// SPDX-License-Identifier: Apache-2.0
// Model: what the script did, in the judges' terms, from plain facts of the path.
//
// It knows what every variable refers to, which values each thing was given, what each context
// binds, and what can still be used. It judges nothing; the judges compare with it. The target
// writes to it only through facts, and the values of a fact are those that the scenario handed out
// (Witness checks that).
#pragma once

#include "scenarios/argpack/contexts.h"

namespace scenarios::argpack {

/// Ownership: in the run's arena. Threads: facts come in the order of the path's own locks; TSan
/// hears of it.
struct Model {
  explicit Model(harness::Scene& scene) : things(scene, progress), contexts(things, progress) {}
  Model(const Model&) = delete;  // Its parts point at each other.
  Model& operator=(const Model&) = delete;

  Progress progress;
  Things things;
  Contexts contexts;
};

}  // namespace scenarios::argpack
