// SPDX-License-Identifier: Apache-2.0
// ScriptGarbage: cycles, and garbage whose finalizers act when the collector finds it.
#pragma once

#include "targets/argpack/script/arrays.h"
#include "targets/argpack/script/packs.h"
#include "targets/argpack/script/programs.h"

namespace targets::argpack {

/// Parts of the script that a finalizer can act on.
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

  /// Performs the trap's action.
  void finalize(const TrapPayload& trap);
  /// Reports that the cycle's reference was dropped.
  void deallocate(const CyclePayload& payload) { tell_dropped(payload.thing); }

 private:
  ScriptGlobals& globals_;
  Victims victims_;
};

}  // namespace targets::argpack
