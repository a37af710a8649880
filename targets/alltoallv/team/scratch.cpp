// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/team/scratch.h"

#include "targets/alltoallv/layout.h"
#include "targets/alltoallv/policy.h"
#include "targets/alltoallv/progress.h"

namespace targets::alltoallv {

// Retries after a failure: a team that is made on only some ranks is out of scope.
void Scratch::make() {
  while (cuMemAlloc(&memory_, kSlotLimit * kScratchBytes) != CUDA_SUCCESS) {
  }
  MemInfo& info = core_.scratch[team_][rank_];
  info = {};
  while (export_memory(memory_, info) != Status::ok) {
  }
}

// Retries after a failure, too. Other collectives may hold an overlapping mapping: they progress
// until it is released.
void Scratch::map(Progress& progress) {
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    if (peer == rank_ || !core_.setup.scratch) continue;
    const MemInfo& info = core_.scratch[team_][peer];
    const Use use{.rank = rank_, .peer = peer, .team = team_};
    Cache& cache = caches_.of(peer);
    while (cache.map(info, use, mappings_[peer]) != Status::ok)
      progress.pass_until("a mapping that is in the way",
                          [&] { return !cache.is_in_the_way(info); });
  }
}

void Scratch::unmap() {
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    Mapping& mapping = mappings_[peer];
    if (mapping.mapped == 0) continue;
    if (core_.policy->close_rule() == CloseRule::counted)
      caches_.of(peer).unmap_region(mapping);
    else
      caches_.of(peer).unmap(mapping.key, mapping, Cache::Missing::followed, true);
    mapping = {};
  }
}

void Scratch::free() {
  if (memory_ != 0) cuMemFree(std::exchange(memory_, 0));
}

CUdeviceptr Scratch::at(std::uint32_t slot, std::uint32_t rank) const {
  const CUdeviceptr base = rank == rank_ ? memory_ : mappings_[rank].mapped;
  return base + slot * kScratchBytes;
}

}  // namespace targets::alltoallv
