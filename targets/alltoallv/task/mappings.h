// SPDX-License-Identifier: Apache-2.0
// Mappings: one task's mappings of its peers' memory, from set-up until they are unmapped.
#pragma once

#include "targets/alltoallv/task/post.h"

namespace targets::alltoallv {

/// Selects one of a peer's two buffers.
enum class Side : std::uint8_t { source, destination };

/// Ownership: owned by its task; borrows the caches' regions. Threads: as the task.
class Mappings {
 public:
  explicit Mappings(const Post& post) : post_(post), core_(post.rank.core) {}

  /// Starts with the first peer again.
  void restart() { next_peer_ = 0; }
  /// Maps all that the peers published, and makes `stream` wait for their events. Returns
  /// in_progress while an overlapping mapping is in use; the next call continues from there.
  Status map_all(CUstream stream);
  /// Returns whether the overlapping mapping is still in use.
  bool is_blocked() const { return cache_of(blocked_by_).is_in_the_way(blocked_on_); }
  /// Unmaps everything, in the policy's way.
  void unmap_all();

  const Post& post() const { return post_; }
  Mapping& of(Side side, std::uint32_t peer) {
    return side == Side::source ? sources_[peer] : destinations_[peer];
  }
  Cache& cache_of(std::uint32_t peer) { return post_.rank.caches.of(peer); }
  const Cache& cache_of(std::uint32_t peer) const { return post_.rank.caches.of(peer); }

 private:
  Status map_source(std::uint32_t peer, CUstream stream);
  Status map(std::uint32_t peer, harness::SharedSlot<MemInfo>& published, Side side);
  static MemInfo read_info(harness::SharedSlot<MemInfo>& slot, harness::Generation mark);

  const Post& post_;
  Core& core_;
  std::array<Mapping, kRankLimit> sources_;       ///< By peer.
  std::array<Mapping, kRankLimit> destinations_;  ///< By peer; mapped as a proxy.
  std::uint32_t next_peer_ = 0;                   ///< Next peer; larger values count proxied pairs.
  std::uint32_t blocked_by_ = 0;                  ///< Peer whose memory cannot be mapped yet.
  MemInfo blocked_on_;                            ///< The memory that cannot be mapped yet.
};

}  // namespace targets::alltoallv
