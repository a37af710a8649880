// SPDX-License-Identifier: Apache-2.0
// State: the plan of a run, and a record of each tensor, post, slot, mapping and team that the
// facts speak of. update.h keeps the records; all other parts only read them.
#pragma once

#include <optional>

#include "scenarios/alltoallv/enabled_ops.h"

namespace scenarios::alltoallv {

using harness::BirthId;
using targets::alltoallv::Buffer;
using targets::alltoallv::kRankLimit;
using targets::alltoallv::Opening;
using targets::alltoallv::Reason;
using targets::alltoallv::Request;
using targets::alltoallv::Use;

template <class T>
using ByRank = std::array<T, kRankLimit>;
template <class T>
using ListByRank = ByRank<std::pmr::vector<T>>;

/// Kinds of objects: an allocation, a peer's event as opened, and a mapping that does not exist.
inline constexpr harness::Label kDeviceMemory{"device memory"};
inline constexpr harness::Label kOpenedEvent{"IPC event"};
inline constexpr harness::Label kMissingRegion{"missing region"};

/// Number of the fill of each rank's source.
using Fills = ByRank<std::uint32_t>;

/// Place of a tensor: an allocation, and an offset in bytes.
struct Place {
  BirthId allocation = BirthId::none;
  std::uint64_t offset = 0;
};

/// A source or a destination, until nothing uses it.
struct Tensor {
  static constexpr std::uint32_t kNone = 0xff;

  Place place;
  Buffer variable = kNone;         ///< Variable that holds it.
  Request destination_of = kNone;  ///< Request whose destination it is.
  std::uint32_t requests = 0;      ///< Requests that use it, one bit each.
  std::uint32_t fill = 0;          ///< Number of the fill of a source.
  std::uint32_t stream = 0;        ///< Stream on which it was filled.
  bool cycled = false;             ///< Part of a cycle: freed by the collector.

  bool is_used() const { return variable != kNone || requests != 0 || cycled; }
  bool is_source_of(Request request) const {
    return (requests >> request & 1) != 0 && destination_of != request;
  }
};

/// A post of a request by a rank.
struct Post {
  Request request;
  std::uint32_t round;         ///< Number of this post of the request, from 1.
  std::uint32_t slot;          ///< Slot for which it waits.
  std::uint32_t number;        ///< Number of the collective, by the rank's own count.
  std::uint32_t choice_count;  ///< Number of the run's choices before it.
  std::uint32_t event_count;   ///< Number of the run's events before it.
  bool waits = true;           ///< It has not entered the slot, and has not ended.
};

/// A slot: the collective that owns it, and the last use by each rank, from publishing in it to the
/// end of the collective.
struct Slot {
  struct User {
    harness::Generation use = harness::Generation::none;
    bool as_proxy = false;
  };
  Request owner = Tensor::kNone;
  std::uint32_t owner_round = 0;
  ByRank<User> users;
};

/// An open mapping of a rank.
struct Mapping {
  Opening opening;
  BirthId memory = BirthId::none;  ///< The peer's allocation, if known.
  std::uint64_t count = 0;         ///< Uses that have begun and not ended.
  bool marked = false;             ///< It has left the table.
};

/// A use of a mapping.
struct Hold {
  Use use;
  BirthId region;
  bool counted = true;  ///< The rank has not counted it down.
  bool ended = false;   ///< Its collective or team has ended on the rank.
};

/// A mapping that was evicted, or met in the place of an evicted one.
struct Evicted {
  harness::Name region;
  Reason reason;
};

/// A rank's part of a team.
struct Team {
  targets::alltoallv::Topology topology{};
  BirthId scratch = BirthId::none;  ///< None while the team is being made.
};

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
