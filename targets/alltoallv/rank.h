// SPDX-License-Identifier: Apache-2.0
// Rank: state that the collectives of one process share.
#pragma once

#include "targets/alltoallv/team/team.h"
#include "targets/alltoallv/tensors/tensors.h"

namespace targets::alltoallv {

/// Ownership: owned by its process. Owns its parts, which refer to each other.
struct Rank {
  Rank(Core& core, std::uint32_t number)
      : core(core),
        number(number),
        context(core),
        caches(core, number),
        tensors(core, number, context),
        teams{{{core, number, 0, caches}, {core, number, 1, caches}}} {}
  Rank(const Rank&) = delete;  // The parts point at each other.
  Rank& operator=(const Rank&) = delete;

  Core& core;
  std::uint32_t number;
  Context context;
  Caches caches;
  Tensors tensors;
  std::array<Team, kTeamLimit> teams;
};

}  // namespace targets::alltoallv
