// SPDX-License-Identifier: Apache-2.0
// Records: the tensors, posts, slots, mappings and teams that the facts of a run speak of.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/alltoallv/scenario.h"

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
  bool waits = true;           ///< Until it arrives at the setup barrier, or ends.
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

}  // namespace scenarios::alltoallv
