// Steps: a ring or linear collective, step by step. Such collectives go through scratch, which is
// mapped once per team, and so leave no mapping in the slot. They use slots and barriers like the
// others, and their step counters.
//
// Ring allgather: in each step a rank passes on to its right neighbour's scratch what came into its
// own in the step before. Scratch has an area per step; upstream alternates between two.
// Linear reduce-scatter: everybody puts its source into its own scratch; then a kernel adds up
// everybody's share, straight out of the peers' memory.
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
  bool is_ring() const { return post_.arguments.collective == Collective::allgather_ring; }
  Status neighbours_at();
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
