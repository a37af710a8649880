// SPDX-License-Identifier: Apache-2.0
// Enabled ops: the ops that have an effect now, restricted to the theme of the run.
//
// The theme never changes the meaning of an op on a tape: a tape holds names of ops, and every
// theme is a subset of the default one, in which every op is offered.
#pragma once

#include "harness/run/scenario/ops.h"
#include "scenarios/graph_argument/scenario.h"
#include "scenarios/graph_argument/variables.h"

namespace scenarios::graph_argument {

using harness::Ops;
using harness::ops;

/// Current state of the script.
struct Situation {
  Census census;
  bool added = false;                ///< Some definition has, or had, a node.
  bool launched = false;             ///< Something was launched.
  targets::graph_argument::Api api;  ///< Calls that this version has.
};

/// Returns whether there is more than one.
inline bool several(Variables variables) { return std::popcount(variables) > 1; }

/// Returns the ops that are not obvious mistakes in this situation.
Ops applicable(const Situation& now);

/// Returns the ops that lead to a launch.
Ops wanted(const Situation& now);
/// Returns the ops that make more of what there is enough of, in a run with a specific theme.
Ops redundant(const Situation& now, bool several_definitions);

/// The theme of a run: everything (the default), or one family of ops. A run that does few things
/// often reaches states that a run of everything seldom reaches.
struct Theme {
  harness::Label name;
  Ops script = ~Ops{0};
  Ops mutator = ~Ops{0};
  Ops favoured = 0;       ///< Listed kFavour times, so that random strategies draw them often.
  Variables dropped = 0;  ///< Listed more often as an argument of `drop`.
};
inline constexpr std::size_t kFavour = 4;
inline constexpr std::size_t kWant = 12;  ///< How often wanted() ops are listed.
std::span<const Theme> themes();

/// Returns the ops offered for a slot of `task`.
Ops offer(const Theme& theme, std::uint32_t task, const Situation& now);

}  // namespace scenarios::graph_argument
