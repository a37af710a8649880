// SPDX-License-Identifier: Apache-2.0
// Enabled ops: the ops that make sense after the earlier slots, restricted to the theme of the run.
//
// The theme never changes the meaning of an op on a tape: a tape holds names of ops, and every
// theme is a subset of the default one, in which everything is offered.
#pragma once

#include "harness/scenario/ops.h"
#include "scenarios/alltoallv/plan.h"

namespace scenarios::alltoallv {

using harness::Ops;
using harness::ops;

/// Where the plan stands.
struct Situation {
  std::uint32_t rank_count;
  Ops last = 0;                    ///< Holds the op of the last step, once there is one.
  bool begun = false;              ///< A collective is made.
  bool posted = false;             ///< A collective is posted, too.
  std::uint32_t persistent = 0;    ///< Slots of persistent ones, a bit each.
  std::uint32_t thread_count = 0;  ///< Progress threads that are started.
  bool two_teams = false;          ///< The second team is there.

  void add(const Step& step);
};

/// The ops that are not obvious mistakes in this situation.
Ops applicable(const Situation& now);

/// The theme of a run: everything (the default), or one family of ops. A run that does a few things
/// often reaches states that a run that does everything seldom does not.
struct Theme {
  harness::Label name;
  Ops offered = ~Ops{0};
  Ops favoured = 0;      ///< Listed kFavour times, so that a strategy that draws finds them.
  bool renews = false;   ///< One buffer; and a renewal is favoured after a collective.
  bool quiet = false;    ///< The smallest job: no errors are injected, and no rank is held up at a
                         ///< named place.
  bool litters = false;  ///< One buffer, whose tensors become garbage, freed while others collect.
  bool served = false;   ///< Rank 0 is the late one, and has a slow progress thread.
  bool pairs = false;    ///< A second team is favoured, while there is none.
  bool pooled = false;   ///< Tensors are pieces of larger allocations.
};
inline constexpr std::size_t kFavour = 4;
std::span<const Theme> themes();

/// Returns what goes into a slot, and what of it is favoured.
Ops offer(const Theme& theme, const Situation& now);
Ops favoured(const Theme& theme, const Situation& now);

/// The ops that a job closes with which has posted nothing, whatever its theme. Which kinds of ops
/// take part is drawn per run by some strategies, so that there are several.
inline constexpr std::array kClosing{Op::alltoallv, Op::alltoall,       Op::persistent,
                                     Op::allgather, Op::reduce_scatter, Op::alltoallv};

}  // namespace scenarios::alltoallv
