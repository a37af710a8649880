// SPDX-License-Identifier: Apache-2.0
// Scratch: memory of a rank that all ranks of its team have mapped as long as the team exists, for
// ring and linear collectives.
#pragma once

#include "targets/alltoallv/caches.h"

namespace targets::alltoallv {

class Progress;

/// Ownership: the team's; owns the memory from make() to free(). Threads: the process's own tasks.
class Scratch {
 public:
  Scratch(Core& core, std::uint32_t rank, std::uint32_t team, Caches& caches)
      : core_(core), rank_(rank), team_(team), caches_(caches) {}

  /// Allocates the rank's scratch and publishes its address.
  void make();
  /// Maps the scratch of all other ranks, which have already made it.
  void map(Progress& progress);
  void unmap();
  void free();

  /// Returns the local address of a rank's area for a slot.
  CUdeviceptr at(std::uint32_t slot, std::uint32_t rank) const;

 private:
  Core& core_;
  std::uint32_t rank_;
  std::uint32_t team_;
  Caches& caches_;
  CUdeviceptr memory_ = 0;
  std::array<Mapping, kRankLimit> mappings_;  ///< Hold raw pointers as long as the team exists.
};

}  // namespace targets::alltoallv
