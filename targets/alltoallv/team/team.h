// SPDX-License-Identifier: Apache-2.0
// Team: one rank's part of a team: its connections, the numbers of its collectives, and the
// resources that it keeps as long as the team exists.
#pragma once

#include "targets/alltoallv/team/scratch.h"
#include "targets/alltoallv/team/slot_events.h"

namespace targets::alltoallv {

class Progress;

/// A pair of ranks without a direct connection, and the rank that copies for it.
struct ProxyEntry {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint32_t proxy;
};

/// Ownership: owned by the process. Threads: the process's own tasks.
class Team {
 public:
  Team(Core& core, std::uint32_t rank, std::uint32_t index, Caches& caches)
      : core_(core), rank_(rank), index_(index), scratch_(core, rank, index, caches) {}
  Team(const Team&) = delete;  // Other objects point at it.
  Team& operator=(const Team&) = delete;

  /// Returns when all ranks have called it; progresses `progress` while it waits.
  void create(Topology topology, Progress& progress);
  /// Releases the rank's part. Its peers may still have it mapped, unless the policy waits for
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
  std::uint32_t index_;         ///< Index among the process's teams.
  Segment* segment_ = nullptr;  ///< This team's, even if later teams are made.
  Topology topology_ = Topology::direct;
  std::uint32_t seq_ = 0;
  Scratch scratch_;
  SlotEvents events_;
};

}  // namespace targets::alltoallv
