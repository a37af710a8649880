// SPDX-License-Identifier: Apache-2.0
// Mappings: one task's mappings of its peers' memory, from setup until they are let go of.
#pragma once

#include "targets/alltoallv/task/post.h"

namespace targets::alltoallv {

/// Which of a peer's two buffers.
enum class Side : std::uint8_t { source, destination };

/// Ownership: its task's; borrows the caches' regions. Threads: as the task.
class Mappings {
 public:
  explicit Mappings(const Post& post) : post_(post), core_(post.rank.core) {}

  /// Begins with the first peer again.
  void restart() { next_peer_ = 0; }
  /// Maps what all peers have published, and has `stream` wait for their events. In progress while
  /// a mapping that is still held is in the way: then it continues from there.
  Status map_all(CUstream stream);
  /// Whether what was in the way is still there.
  bool is_blocked() const { return cache_of(blocked_by_).is_in_the_way(blocked_on_); }
  /// Lets go of all, as the policy does it.
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
  std::array<Mapping, kRankLimit> destinations_;  ///< By peer; as a proxy.
  std::uint32_t next_peer_ = 0;                   ///< To map; those after the last are proxied.
  std::uint32_t blocked_by_ = 0;                  ///< The peer whose memory cannot be mapped yet.
  MemInfo blocked_on_;                            ///< That memory.
};

}  // namespace targets::alltoallv
