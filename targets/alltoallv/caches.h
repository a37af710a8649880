// SPDX-License-Identifier: Apache-2.0
// Caches: a process's caches, one for each peer.
#pragma once

#include "targets/alltoallv/cache.h"

namespace targets::alltoallv {

/// Ownership: its caches are in the run's arena. Threads: those of the process.
class Caches {
 public:
  Caches(Core& core, std::uint32_t rank) {
    for (std::uint32_t peer = 0; peer < core.setup.rank_count; ++peer)
      if (peer != rank) caches_[peer] = core.scheduler.arena().make<Cache>(core, rank, peer);
  }

  Cache& of(std::uint32_t peer) { return *caches_[peer]; }
  const Cache& of(std::uint32_t peer) const { return *caches_[peer]; }
  /// Closes every mapping.
  void destroy() {
    for (Cache* cache : caches_)
      if (cache != nullptr) cache->destroy();
  }

 private:
  std::array<Cache*, kRankLimit> caches_{};
};

}  // namespace targets::alltoallv
