// SPDX-License-Identifier: Apache-2.0
// JudgeContext: access of a run's judges to the scene and to the state of the run.
#pragma once

#include "harness/run/scenario/faults.h"
#include "scenarios/managed_dict/model/expect.h"
#include "scenarios/managed_dict/model/reach.h"

namespace scenarios::managed_dict {

/// Ownership: borrows all. Lifetime: one run.
struct JudgeContext {
  harness::Scene& scene;
  State& state;
  Reached& reached;

  /// Returns a fault at the current site.
  harness::Fault fault_here(harness::FaultKind kind, harness::Label what,
                            std::string detail) const {
    return harness::fault_here(scene, kind, what, std::move(detail));
  }
  /// Returns a fault of an object, as far as the ledger knows it.
  harness::Fault describe(harness::FaultKind kind, harness::BirthId id) const {
    return scene.world().ledger.describe(kind, id);
  }
  void report(harness::Fault fault) const { scene.world().history.add(std::move(fault)); }
  bool has_faults() const { return !scene.world().history.faults().empty(); }
  /// Returns the name of an object, as in faults.
  harness::Name name_of(harness::BirthId id) const { return scene.world().ledger.life(id).name; }
};

}  // namespace scenarios::managed_dict
