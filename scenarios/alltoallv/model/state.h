// SPDX-License-Identifier: Apache-2.0
// State: the plan of a run, and all records. update.h keeps the records; all other parts only read
// them.
#pragma once

#include <optional>

#include "scenarios/alltoallv/enabled_ops.h"
#include "scenarios/alltoallv/model/records.h"

namespace scenarios::alltoallv {

/// Ownership: owned by the job. Threads: the run's.
struct State {
  /// Chooses the theme and the plan.
  State(harness::Scene& scene, const Shape& shape);

  // ---- the plan ----
  bool is_quiet() const { return theme.quiet; }
  bool calls_may_fail() const { return !calm && !theme.quiet; }
  const Step& step_at(std::uint32_t slot) const;
  /// Returns the topology of the team to which the request of a rank belongs.
  targets::alltoallv::Topology topology(std::uint32_t rank, Request request) const {
    return teams[step_at(request).team][rank].topology;
  }

  // ---- tensors ----
  /// Returns the source that the variable holds, or null.
  const Tensor* source_in(std::uint32_t rank, Buffer buffer) const;
  /// Returns the source of a request; none if it sends nothing.
  Place source_of(std::uint32_t rank, Request request) const;
  /// Returns the destination of a request; none if it has none.
  Place destination_of(std::uint32_t rank, Request request) const;
  /// Returns the peer's allocation that a use maps. The scratch of an unfinished team is unknown:
  /// when a rank maps it, its owner may still be making the team.
  BirthId memory_of(const Use& use) const;

  // ---- posts ----
  /// Returns the last post of the request, or null.
  const Post* last_post(std::uint32_t rank, Request request) const;
  const Post* find_post(std::uint32_t rank, Request request, std::uint32_t round) const;
  /// Returns how often the rank has posted the request.
  std::uint32_t round(std::uint32_t rank, Request request) const;
  /// Returns the expected tag of a rank's words for its last post of the request.
  harness::Generation mark(std::uint32_t rank, Request request) const {
    return mark_of(request, round(rank, request));
  }
  static constexpr harness::Generation mark_of(Request request, std::uint64_t round) {
    return static_cast<harness::Generation>((std::uint64_t{request} + 1) | round << 32);
  }

  // ---- mappings ----
  const Mapping* find_mapping(BirthId region) const;
  /// Returns the use that has not been counted down, or null.
  const Hold* find_hold(const Use& use) const;
  /// Returns whether a team, or a collective that has not ended on its rank, has mapped it.
  bool is_used(BirthId region) const;
  /// Returns the peer that maps the scratch of `rank` for that team; none if there is none.
  std::optional<std::uint32_t> mapper_of_scratch(std::uint32_t rank, std::uint32_t team) const;
  /// Returns why the mapping was evicted, or why the one that was meant was.
  std::optional<Reason> evicted_for(harness::Name region) const;

  // ---- data ----
  std::uint32_t rank_count;
  bool calm;  ///< No errors are injected. By default they may be.
  const Theme& theme;
  Plan plan;
  Shape shape;
  bool bounded;  ///< The variant claims that no object outlives its last possible use.

  ListByRank<Tensor> tensors;
  ByRank<Place> placed{};                      ///< Last placement.
  ByRank<std::uint32_t> most_requests{};       ///< Maximum number of requests at once.
  std::array<Fills, kSlotCountLimit> fills{};  ///< Sources of the collective of a step's slot.
  ListByRank<Post> posts;
  std::array<std::uint32_t, kSlotCountLimit> finished{};  ///< Finished posts, over all ranks.
  std::array<Slot, targets::alltoallv::kSlotIds> slots{};
  ListByRank<Mapping> mappings;
  ListByRank<Hold> holds;
  std::pmr::vector<Evicted> evicted;
  Use evicted_by;  ///< Use for which the last evicted mapping was evicted.
  std::array<ByRank<Team>, targets::alltoallv::kTeamLimit> teams{};
  ByRank<bool> closing{};                 ///< The process closes all its mappings now.
  ByRank<std::uint32_t> planned_polls{};  ///< Polls that the plan makes.
  std::uint32_t reading_count = 0;        ///< Number of destinations that were read back.
};

}  // namespace scenarios::alltoallv
