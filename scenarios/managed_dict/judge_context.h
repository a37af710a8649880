// SPDX-License-Identifier: Apache-2.0
// JudgeContext: what the judges of one run look through: the scene, and the interpreter's memory.
#pragma once

#include "harness/scenario/faults.h"
#include "scenarios/managed_dict/windows.h"
#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

/// Ownership: borrows. Lifetime: the run's; `heap` is set before the interpreter starts.
struct JudgeContext {
  harness::Scene& scene;
  const targets::managed_dict::HeapView* heap = nullptr;
  targets::managed_dict::Version version{};
  Reached* reached = nullptr;  ///< The notes of arrivals.

  void reach(Window window) const { reached->reach(window); }
  /// Returns a fault at the current site.
  harness::Fault fault_here(harness::FaultKind kind, harness::Label what,
                            std::string detail) const {
    return harness::fault_here(scene, kind, what, std::move(detail));
  }
  void report(harness::Fault fault) const { scene.world().history.add(std::move(fault)); }
  /// The name of an object, as faults have it.
  harness::Name name_of(harness::BirthId id) const { return scene.world().ledger.life(id).name; }
};

}  // namespace scenarios::managed_dict
