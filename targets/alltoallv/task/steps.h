// SPDX-License-Identifier: Apache-2.0
// Steps: a ring or linear collective, step by step. Such collectives use scratch, which is mapped
// once per team, so they leave no mapping in the slot. They use slots and barriers like the other
// collectives, and also step counters.
//
// Ring allgather: in each step a rank copies the data that arrived in its own scratch in the
// previous step to its right neighbour's, fragment by fragment. Scratch has two halves, used in
// turn: a rank may write a half once all its readers are done. Linear reduce-scatter: each rank
// copies its source into its own scratch; then a kernel adds up the rank's share, directly from all
// peers' memory.
#pragma once

#include "targets/alltoallv/task/copies.h"
#include "targets/alltoallv/task/own_entry.h"

namespace targets::alltoallv {

/// Ownership: owned by its task. Threads: as the task.
class Steps {
 public:
  Steps(const Post& post, const Operands& operands, Copies& copies, OwnEntry& own)
      : post_(post), core_(post.rank.core), operands_(operands), copies_(copies), own_(own) {}

  /// Runs the next step if its data are available. `last`: it is the final step.
  Status advance(bool& last);
  /// Returns whether advance() would make progress.
  bool can_advance() const;

 private:
  /// A rank, by its distance to the right, that must have finished the steps before this one.
  struct Neighbour {
    std::int32_t distance;
    bool gives;  ///< It writes data that are read now; if not, it reads data overwritten now.
  };
  using Neighbours = std::array<Neighbour, kRankLimit>;

  bool is_ring() const { return post_.arguments.collective == Collective::allgather_ring; }
  std::uint32_t ring_steps() const;
  std::size_t neighbours(Neighbours& found) const;
  std::uint32_t at_distance(std::int32_t distance) const;
  bool writes() const;
  Status await_neighbours();
  Status ring_step(bool& last);
  Status linear_step(bool& last);
  Status reduce();
  CUdeviceptr scratch_of(std::uint32_t rank) const;

  const Post& post_;
  Core& core_;
  const Operands& operands_;
  Copies& copies_;
  OwnEntry& own_;
  std::uint32_t step_ = 0;  ///< Next step.
};

}  // namespace targets::alltoallv
