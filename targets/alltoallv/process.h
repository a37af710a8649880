// SPDX-License-Identifier: Apache-2.0
// Process: one rank of a job, with its context, teams, tensors and collectives.
#pragma once

#include "targets/alltoallv/requests.h"

namespace targets::alltoallv {

/// Ownership: in the run's arena, one per rank; owns what it opens until close().
/// Threads: its own tasks.
class Process {
 public:
  Process(Core& core, std::uint32_t rank) : rank_(core, rank), requests_(rank_) {}

  Status open() { return rank_.context.open(); }
  void close();

  void create_team(std::uint32_t team, Topology topology) {
    rank_.teams[team].create(topology, requests_.outstanding());
  }
  void destroy_team(std::uint32_t team) { rank_.teams[team].destroy(requests_.outstanding()); }
  Tensors& tensors() { return rank_.tensors; }
  Requests& requests() { return requests_; }

 private:
  Rank rank_;
  Requests requests_;
};

}  // namespace targets::alltoallv
