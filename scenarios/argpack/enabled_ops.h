// SPDX-License-Identifier: Apache-2.0
// Enabled ops: the ops that have an effect now, restricted to the theme of the run.
//
// The theme never changes the meaning of an op on a tape: a tape holds names of ops, and every
// theme is a subset of the default one, in which every op is offered.
#pragma once

#include "harness/run/scenario/ops.h"
#include "scenarios/argpack/scenario.h"
#include "scenarios/argpack/variables.h"

namespace scenarios::argpack {

using harness::Ops;
using harness::ops;

/// Current state of the script.
struct Situation {
  Census census;
  Variables unbound = 0;    ///< Contexts without their pack.
  Variables bound = 0;      ///< Contexts with their pack that were not compiled.
  Variables compiled = 0;   ///< Contexts that are ready to launch, or launched.
  bool child_fits = false;  ///< Some pack can become the nested pack of another.
  bool command_list = false;
  bool uses_stale = true;  ///< Packs and arrays from before a reset may be used like others.

  Variables open() const { return unbound | bound; }
  /// Returns the variables in the set whose objects are not from before a reset.
  Variables fresh(Variables variables) const { return variables & ~census.stale; }
  /// Returns those from before a reset, if the theme of the run uses them.
  Variables stale(Variables variables) const { return uses_stale ? variables & census.stale : 0; }
  /// Returns those that may be bound, written or read.
  Variables usable(Variables variables) const { return fresh(variables) | stale(variables); }
};

/// Returns the ops that are not obvious mistakes in this situation.
Ops applicable(const Situation& now);

/// Returns the ops that make objects of which there are none, or too few.
Ops wanted(const Situation& now);

/// The theme of a run: everything (the default), or one family of ops. A run that does few things
/// often reaches states that a run of everything seldom reaches.
struct Theme {
  harness::Label name;
  Ops script = ~Ops{0};
  Ops mutator = ~Ops{0};
  Ops favoured = 0;  ///< Listed kFavour times, so that a random strategy draws them more often.
  /// Uses wrappers from before a reset. Most runs with a reset end with such a fault.
  bool uses_stale = false;
};
inline constexpr std::size_t kFavour = 7;
std::span<const Theme> themes();
/// Returns the ops offered for a slot of `task`.
Ops offer(const Theme& theme, std::uint32_t task, const Situation& now);

/// Ops offered only in the closing slots of a script: a complete use in one op.
inline constexpr Ops kOnlyClosing = ops(Op::call_new, Op::call_with_all);
/// Returns the ops for the closing slots of a script that has launched nothing, whatever its theme:
/// a complete use, or a call with existing objects.
Ops closing(const Situation& now);

}  // namespace scenarios::argpack
