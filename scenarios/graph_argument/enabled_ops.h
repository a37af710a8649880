// SPDX-License-Identifier: Apache-2.0
// Enabled ops: the ops that can do something now, restricted to the theme of the run.
//
// The theme never changes the meaning of an op on a tape: a tape holds names of ops, and every
// theme is a subset of the default one, in which everything is offered.
#pragma once

#include "harness/scenario/ops.h"
#include "scenarios/graph_argument/scenario.h"
#include "scenarios/graph_argument/variables.h"

namespace scenarios::graph_argument {

using harness::Ops;
using harness::ops;

/// Where the script stands.
struct Situation {
  Census census;
  bool added = false;                ///< Whether some definition has, or had, a node.
  bool launched = false;             ///< There is something to wait for.
  targets::graph_argument::Api api;  ///< The calls that there are at all.
};

/// More than one.
inline bool several(Variables variables) { return std::popcount(variables) > 1; }

/// The ops that are not obvious mistakes in this situation.
Ops applicable(const Situation& now);

/// The ops that lead on to a launch, and those that make more of what there is enough of.
Ops wanted(const Situation& now);
/// Returns what does not lead on, in a run that is about something.
Ops redundant(const Situation& now, bool several_definitions);

/// The theme of a run: everything (the default), or one family of ops. A run that does a few things
/// often reaches states that a run that does everything seldom does not.
struct Theme {
  harness::Label name;
  Ops script = ~Ops{0};
  Ops mutator = ~Ops{0};
  Ops favoured = 0;       ///< Listed kFavour times, so that a strategy that draws finds them.
  Variables dropped = 0;  ///< Listed often among what `drop` may drop.
};
inline constexpr std::size_t kFavour = 4;
inline constexpr std::size_t kWant = 12;  ///< How often that is listed which leads on to a launch.
std::span<const Theme> themes();

/// Returns what goes into a slot of `task`.
Ops offer(const Theme& theme, std::uint32_t task, const Situation& now);

}  // namespace scenarios::graph_argument
