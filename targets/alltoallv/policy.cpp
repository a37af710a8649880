#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

CUdeviceptr Policy::reread_key(const Mappings& mappings, Side side, std::uint32_t peer) {
  const Post& post = mappings.post();
  return info_of(post.entry(peer), side).read(&MemInfo::ptr, post.mark());
}

harness::SharedSlot<MemInfo>& Policy::info_of(Entry& entry, Side side) {
  return side == Side::source ? entry.source : entry.destination;
}

void Policy::unmap(Mappings& mappings, Side side, std::uint32_t peer) {
  mappings.cache_of(peer).unmap(reread_key(mappings, side, peer), mappings.of(side, peer),
                                Cache::Missing::followed);
}

}  // namespace targets::alltoallv
