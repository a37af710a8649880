// SPDX-License-Identifier: Apache-2.0
// Plan: what all ranks of a job will do, chosen before any of them runs.
//
// The ranks of a job run one program; the schedule decides what they do when. So the ops are chosen
// in advance, slot after slot, and what is offered depends only on the earlier slots: a tape means
// the same program whatever else is on it. player.h makes the choices.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

class Rank;

/// All, as a rank.
inline constexpr std::uint32_t kAll = 0xffffffff;
inline constexpr std::uint32_t kNobody = 0xfffffffe;

/// Turns for which a rank stays behind.
struct Delay {
  std::uint32_t before = 0;  ///< It polls what is outstanding.
  std::uint32_t after = 0;   ///< Then it is in the completion barrier, as a rule.
};

/// One filled slot: a call of each rank that it concerns, with its arguments.
struct Step {
  using Collective = targets::alltoallv::Collective;
  using Topology = targets::alltoallv::Topology;

  targets::alltoallv::Status (Rank::*call)(const Step& step) = nullptr;
  Op op{};                         ///< Names it in the story.
  std::uint32_t slot = 0;          ///< Also its request, and what it fills with.
  std::uint32_t who = kAll;        ///< The rank that does it.
  std::uint32_t behind = kNobody;  ///< The rank that does not take part, and sleeps.
  targets::alltoallv::Buffer buffer = 0;
  std::optional<Collective> collective;  ///< Begun by this step.
  bool persistent = false;               ///< The collective can be posted again.
  bool init_only = false;                ///< It is finalized without having been posted.
  bool in_place = false;                 ///< It is refused.
  std::uint32_t shape = 0;               ///< Shape of the exchange; 0 is even.
  std::uint32_t triggered = kNobody;     ///< The rank that posts it triggered.
  std::uint32_t silent = kNobody;        ///< The rank that sends nothing, and has no buffer.
  std::uint32_t stream = 0;
  std::uint32_t offset = 0;
  std::uint32_t turns = 0;  ///< Turns of a sleep.
  Delay delay;              ///< renew: the delay of the rank that stays behind.
  std::uint32_t of = 0;     ///< post_again: the slot of the persistent one.
  Topology topology = Topology::direct;
  std::uint32_t team = 0;  ///< The team that it is of.

  bool concerns(std::uint32_t rank) const { return who == kAll || who == rank; }
  bool posts() const { return collective.has_value() && !init_only && !in_place; }
  bool uses_scratch() const {
    return collective == Collective::allgather_ring ||
           collective == Collective::reduce_scatter_linear;
  }
};

using Plan = std::pmr::vector<Step>;

}  // namespace scenarios::alltoallv
