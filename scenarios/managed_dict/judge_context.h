// SPDX-License-Identifier: Apache-2.0
// JudgeContext: access of a run's judges to the scene and the interpreter's memory.
#pragma once

#include "harness/run/scenario/faults.h"
#include "scenarios/managed_dict/windows.h"
#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

/// Ownership: borrows all. Lifetime: one run; `heap` is set before the interpreter starts.
struct JudgeContext {
  harness::Scene& scene;
  const targets::managed_dict::HeapView* heap = nullptr;
  targets::managed_dict::Version version{};
  Reached* reached = nullptr;  ///< Notes the windows reached.

  void reach(Window window) const { reached->reach(window); }
  /// Returns a fault at the current site.
  harness::Fault fault_here(harness::FaultKind kind, harness::Label what,
                            std::string detail) const {
    return harness::fault_here(scene, kind, what, std::move(detail));
  }
  void report(harness::Fault fault) const { scene.world().history.add(std::move(fault)); }
  /// Returns the name of an object, as in faults.
  harness::Name name_of(harness::BirthId id) const { return scene.world().ledger.life(id).name; }
};

}  // namespace scenarios::managed_dict
