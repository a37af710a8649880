// SPDX-License-Identifier: Apache-2.0
// Steps: a ring or linear collective, step by step. Such collectives go through scratch, which is
// mapped once per team, and so leave no mapping in the slot. They use slots and barriers like the
// others, and their step counters.
//
// Ring allgather: in each step a rank passes on to its right neighbour's scratch what came into its
// own in the step before, fragment by fragment. Scratch has two halves, and steps alternate between
// them: a rank may write a half of its neighbour's once all that read it have done so. Linear
// reduce-scatter: all puts its source into its own scratch; then a kernel adds up all's share,
// straight out of the peers' memory.
#pragma once

#include "targets/alltoallv/task/copies.h"
#include "targets/alltoallv/task/own_entry.h"

namespace targets::alltoallv {

/// Ownership: its task's. Threads: as the task.
class Steps {
 public:
  Steps(const Post& post, const Operands& operands, Copies& copies, OwnEntry& own)
      : post_(post), core_(post.rank.core), operands_(operands), copies_(copies), own_(own) {}

  /// Takes the next step, once what it needs is there. `last`: no other comes after it.
  Status advance(bool& last);
  /// Whether advance() would do anything.
  bool can_advance() const;

 private:
  /// A rank at a distance, to the right, that has to have done the steps before this one.
  struct Neighbour {
    std::int32_t distance;
    bool gives;  ///< It writes what is read now; else it reads what is written over now.
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
  std::uint32_t step_ = 0;  ///< The next one.
};

}  // namespace targets::alltoallv
