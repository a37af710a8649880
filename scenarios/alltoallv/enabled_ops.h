// SPDX-License-Identifier: Apache-2.0
// Enabled ops: the ops that make sense after the earlier slots, restricted to the theme of the run.
//
// The theme never changes the meaning of an op on a tape: a tape holds names of ops, and every
// theme is a subset of the default one, in which every op is offered.
#pragma once

#include "harness/run/scenario/ops.h"
#include "scenarios/alltoallv/plan.h"

namespace scenarios::alltoallv {

using harness::Ops;
using harness::ops;

/// State of the plan so far.
struct Situation {
  std::uint32_t rank_count;
  Ops last = 0;                    ///< Set of the last step's op; empty at the start.
  bool begun = false;              ///< Some step makes a collective.
  bool posted = false;             ///< Some step posts a collective.
  std::uint32_t persistent = 0;    ///< Slots of persistent collectives, one bit each.
  std::uint32_t thread_count = 0;  ///< Number of progress threads started.
  bool two_teams = false;          ///< The second team exists.

  void add(const Step& step);
};

/// Returns the ops that are not obvious mistakes in this situation.
Ops applicable(const Situation& now);

/// The theme of a run: everything (the default), or one family of ops. A run that does few things
/// often reaches states that a run of everything seldom reaches.
struct Theme {
  harness::Label name;
  Ops offered = ~Ops{0};
  Ops favoured = 0;      ///< Listed kFavour times, so that a random strategy draws them more often.
  bool renews = false;   ///< Uses one buffer, and favours a renewal after each collective.
  bool quiet = false;    ///< The smallest job: no injected errors, and no delays at named
                         ///< places.
  bool litters = false;  ///< One buffer, whose tensors become garbage, freed while others collect.
  bool served = false;   ///< Rank 0 stays behind, and has a slow progress thread.
  bool pairs = false;    ///< Favours a second team while there is none.
  bool pooled = false;   ///< Tensors are pieces of larger allocations.
};
inline constexpr std::size_t kFavour = 4;
std::span<const Theme> themes();

/// Returns the ops that are offered for a slot, or favoured.
Ops offer(const Theme& theme, const Situation& now);
Ops favoured(const Theme& theme, const Situation& now);

/// Ops that end a job which has posted nothing, whatever its theme. There are several, because some
/// strategies enable only a random subset of the kinds of ops.
inline constexpr std::array kClosing{Op::alltoallv, Op::alltoall,       Op::persistent,
                                     Op::allgather, Op::reduce_scatter, Op::alltoallv};

}  // namespace scenarios::alltoallv
