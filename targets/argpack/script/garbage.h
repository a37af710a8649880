// SPDX-License-Identifier: Apache-2.0
// ScriptGarbage: cycles, and finalizers that do action when the collector gets to them.
#pragma once

#include "targets/argpack/script/arrays.h"
#include "targets/argpack/script/packs.h"
#include "targets/argpack/script/programs.h"

namespace targets::argpack {

/// The parts of the script that a finalizer can do something to.
struct Victims {
  ScriptPrograms& programs;
  ScriptPacks& packs;
  ScriptArrays& arrays;
  ExternalArrays& externals;
};

/// Ownership: borrows the globals and the other parts; the heap owns the garbage.
class ScriptGarbage final : public Garbage, private Steps {
 public:
  ScriptGarbage(Core& core, ScriptGlobals& globals, const Victims& victims)
      : Steps(core), globals_(globals), victims_(victims) {}

  Status make_cycle(Variable variable) override;
  Status plant(FinalizerAction action, Variable victim, std::int32_t value) override;
  Status collect(std::uint32_t generation) override;

  /// Does the trap's action.
  void finalize(const TrapPayload& trap);
  /// Tells that the cycle's reference went.
  void deallocate(const CyclePayload& payload) { tell_dropped(payload.thing); }

 private:
  ScriptGlobals& globals_;
  Victims victims_;
};

}  // namespace targets::argpack
