// SPDX-License-Identifier: Apache-2.0
// JobState: the plan of a run, and the contributions of its ranks so far.
#pragma once

#include "scenarios/alltoallv/enabled_ops.h"
#include "scenarios/alltoallv/model.h"

namespace scenarios::alltoallv {

/// Ownership: owned by the job. Threads: the run's.
class JobState {
 public:
  using Topology = targets::alltoallv::Topology;

  /// Chooses the theme and the plan.
  JobState(harness::Scene& scene, const Shape& shape);

  std::uint32_t rank_count() const { return rank_count_; }
  const Shape& shape() const { return shape_; }
  const Theme& theme() const { return theme_; }
  bool is_quiet() const { return theme_.quiet; }
  bool calls_may_fail() const { return !calm_ && !theme_.quiet; }
  /// Returns whether the variant claims that no object outlives its last possible use.
  bool bounded() const { return bounded_; }

  const Plan& plan() const { return plan_; }
  const Step& step_at(std::uint32_t slot) const;
  bool uses_scratch() const;
  /// Returns the slots of a team's steps, one bit each.
  std::uint32_t slots_of(std::uint32_t team) const;
  /// Returns how many numbers the plan takes from a team if no call fails.
  std::uint32_t number_count(std::uint32_t team) const;

  /// Returns the topology of a rank's team.
  Topology topology(std::uint32_t rank, std::uint32_t team) const { return topology_[team][rank]; }
  void set_topology(std::uint32_t rank, std::uint32_t team, Topology topology) {
    topology_[team][rank] = topology;
  }
  /// Returns the sources that the ranks used for the collective of a slot.
  const Fills& fills(std::uint32_t slot) const { return fills_[slot]; }
  void give(std::uint32_t slot, std::uint32_t rank, std::uint32_t fill) {
    fills_[slot][rank] = fill;
  }

 private:
  std::uint32_t rank_count_;
  bool calm_;  ///< No errors are injected. By default they may be.
  const Theme& theme_;
  Plan plan_;
  Shape shape_;
  bool bounded_;
  std::array<Fills, kSlotCountLimit> fills_{};
  std::array<std::array<Topology, kRankLimit>, targets::alltoallv::kTeamLimit> topology_{};
};

}  // namespace scenarios::alltoallv
