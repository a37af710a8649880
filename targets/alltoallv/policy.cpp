// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

CUdeviceptr Policy::reread_key(const Mappings& mappings, Side side, std::uint32_t peer) {
  const Post& post = mappings.post();
  auto& info = info_of(post.entry(peer), side);
  const CUdeviceptr key = info.read(&MemInfo::ptr, post.mark());
  post.rank.core.tell([&](Observer& observer) {
    observer.key_read({{post.rank.number, post.request, peer, side == Side::destination},
                       key == 0,
                       info.generation(&MemInfo::ptr)});
  });
  return key;
}

harness::SharedSlot<MemInfo>& Policy::info_of(Entry& entry, Side side) {
  return side == Side::source ? entry.source : entry.destination;
}

void Policy::unmap(Mappings& mappings, Side side, std::uint32_t peer) {
  mappings.cache_of(peer).unmap(reread_key(mappings, side, peer), mappings.of(side, peer),
                                Cache::Missing::followed);
}

}  // namespace targets::alltoallv
