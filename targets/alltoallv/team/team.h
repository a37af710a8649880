// SPDX-License-Identifier: Apache-2.0
// Team: one rank's part of a team: who reaches whom, the numbers of its collectives, and what it
// keeps as long as the team is.
#pragma once

#include "targets/alltoallv/team/scratch.h"
#include "targets/alltoallv/team/slot_events.h"

namespace targets::alltoallv {

class Progress;

/// The rank that copies for a pair without a direct connection.
struct ProxyEntry {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint32_t proxy;
};

/// Ownership: the process's. Threads: the process's own tasks.
class Team {
 public:
  Team(Core& core, std::uint32_t rank, std::uint32_t index, Caches& caches)
      : core_(core), rank_(rank), index_(index), scratch_(core, rank, index, caches) {}
  Team(const Team&) = delete;  // Others point at it.
  Team& operator=(const Team&) = delete;

  /// Returns when all ranks have called it; `progress` continues meanwhile.
  void create(Topology topology, Progress& progress);
  /// Lets go of the rank's part, which its peers may still have mapped, unless the policy waits for
  /// them.
  void destroy(Progress& progress);

  bool direct(std::uint32_t a, std::uint32_t b) const;
  std::span<const ProxyEntry> proxies() const;
  std::uint32_t next_number() { return ++seq_; }
  const Scratch& scratch() const { return scratch_; }
  SlotEvents& events() { return events_; }
  Segment& segment() const { return *segment_; }

 private:
  template <class Visit>
  void for_each_slot(Visit visit) const;
  void meet(Progress& progress);
  void gather(Progress& progress);
  void await_all();
  void tell_slots();

  Core& core_;
  std::uint32_t rank_;
  std::uint32_t index_;         ///< Among the process's teams.
  Segment* segment_ = nullptr;  ///< The team's, whatever others are made later.
  Topology topology_ = Topology::direct;
  std::uint32_t seq_ = 0;
  Scratch scratch_;
  SlotEvents events_;
};

}  // namespace targets::alltoallv
