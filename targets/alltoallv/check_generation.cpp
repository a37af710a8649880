// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/check_generation.h"

namespace targets::alltoallv {

// Reads the key under any tag: a key that is thrown away was never used.
void CheckGeneration::unmap(Mappings& mappings, Side side, std::uint32_t peer) {
  const Post& post = mappings.post();
  Entry& entry = post.entry(peer);
  const std::uint64_t own = post.use();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (entry.tag.read() != own) continue;
    const CUdeviceptr key = info_of(entry, side).read(&MemInfo::ptr, harness::Generation::any);
    if (entry.tag.read() != own) continue;
    return mappings.cache_of(peer).unmap(key, mappings.of(side, peer), Cache::Missing::followed);
  }
}

}  // namespace targets::alltoallv
