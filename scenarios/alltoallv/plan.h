// SPDX-License-Identifier: Apache-2.0
// Plan: the actions of all ranks of a job, chosen before any of them runs.
//
// The ranks of a job run one program; the schedule decides what they do when. So the ops are chosen
// in advance, slot by slot, and the offered ops depend only on earlier slots: a tape always means
// the same program. player.h makes the choices.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

/// Means all ranks.
inline constexpr std::uint32_t kAll = 0xffffffff;
inline constexpr std::uint32_t kNobody = 0xfffffffe;

/// Number of turns for which a rank stays behind.
struct Delay {
  std::uint32_t before = 0;  ///< Before it polls outstanding collectives.
  std::uint32_t after = 0;   ///< Afterwards, usually in the completion barrier.
};

/// One filled slot: an op, with its arguments, for each rank that it concerns.
struct Step {
  using Collective = targets::alltoallv::Collective;
  using Topology = targets::alltoallv::Topology;

  Op op{};
  std::uint32_t slot = 0;          ///< Also the number of its request and of its fill.
  std::uint32_t who = kAll;        ///< Rank that runs it.
  std::uint32_t behind = kNobody;  ///< Rank that sleeps instead of taking part.
  targets::alltoallv::Buffer buffer = 0;
  std::optional<Collective> collective;  ///< Collective that this step begins.
  bool persistent = false;               ///< The collective can be posted again.
  bool init_only = false;                ///< It is finalized without being posted.
  bool in_place = false;                 ///< It is refused.
  std::uint32_t shape = 0;               ///< Shape of the exchange; 0 is even.
  std::uint32_t triggered = kNobody;     ///< Rank that uses triggered_post().
  std::uint32_t silent = kNobody;        ///< Rank that sends nothing, without a buffer.
  std::uint32_t stream = 0;
  std::uint32_t offset = 0;
  std::uint32_t turns = 0;  ///< Turns of a sleep.
  Delay delay;              ///< renew: the delay of the rank that stays behind.
  std::uint32_t of = 0;     ///< post_again: slot of the persistent collective.
  Topology topology = Topology::direct;
  std::uint32_t team = 0;  ///< Team of the collective.

  bool concerns(std::uint32_t rank) const { return who == kAll || who == rank; }
  bool posts() const { return collective.has_value() && !init_only && !in_place; }
  bool uses_scratch() const {
    return collective == Collective::allgather_ring ||
           collective == Collective::reduce_scatter_linear;
  }
};

using Plan = std::pmr::vector<Step>;

}  // namespace scenarios::alltoallv
