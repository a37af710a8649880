// SPDX-License-Identifier: Apache-2.0
// Enabled ops: the ops that can do something now, restricted to the theme of the run.
//
// The theme never changes the meaning of an op on a tape: a tape holds names of ops, and every
// theme is a subset of the default one, in which everything is offered.
#pragma once

#include "harness/scenario/ops.h"
#include "scenarios/argpack/scenario.h"
#include "scenarios/argpack/variables.h"

namespace scenarios::argpack {

using harness::Ops;
using harness::ops;

/// Where the script stands.
struct Situation {
  Census census;
  Variables unbound = 0;    ///< Contexts that lack their pack.
  Variables bound = 0;      ///< Contexts that have it, and were not compiled.
  Variables compiled = 0;   ///< Contexts ready for launching, or launched already.
  bool child_fits = false;  ///< There is a pack that can become another's nested one.
  bool command_list = false;
  bool uses_stale = true;  ///< Packs and arrays from before a reset may be used like others.

  Variables open() const { return unbound | bound; }
  /// Returns those of a set that are not from before a reset.
  Variables fresh(Variables variables) const { return variables & ~census.stale; }
  /// Returns those of a set that are from before a reset, if the theme of the run uses them.
  Variables stale(Variables variables) const { return uses_stale ? variables & census.stale : 0; }
  /// Returns those of a set that may be bound, written or read.
  Variables usable(Variables variables) const { return fresh(variables) | stale(variables); }
};

/// The ops that are not obvious mistakes in this situation.
Ops applicable(const Situation& now);

/// The ops that make what there is none of.
Ops wanted(const Situation& now);

/// The theme of a run: everything (the default), or one family of ops. A run that does a few things
/// often reaches states that a run that does everything seldom does not.
struct Theme {
  harness::Label name;
  Ops script = ~Ops{0};
  Ops mutator = ~Ops{0};
  Ops favoured = 0;  ///< Listed kFavour times, so that a strategy that draws finds them.
  /// Wrappers from before a reset are used: most runs with a reset end there.
  bool uses_stale = false;
};
inline constexpr std::size_t kFavour = 7;
std::span<const Theme> themes();
/// Returns what goes into a slot of `task`.
Ops offer(const Theme& theme, std::uint32_t task, const Situation& now);

/// The ops that only the closing slots of a script are offered: an ordinary use in one op.
inline constexpr Ops kOnlyClosing = ops(Op::call_new, Op::call_with_all);
/// Returns what goes into the closing slots of a script that has launched nothing, whatever its
/// theme: an ordinary use, or a call of what there is.
Ops closing(const Situation& now);

}  // namespace scenarios::argpack
