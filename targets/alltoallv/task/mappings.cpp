// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/task/mappings.h"

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

using harness::SiteScope;

// ---- mapping ------------------------------------------------------------------------------------

Status Mappings::map_all(CUstream stream) {
  if (!post_.copies_peers()) return Status::ok;
  const SiteScope site(core_.scheduler, "setup_test");
  const Rank& rank = post_.rank;
  const std::uint32_t count = core_.setup.rank_count;
  for (std::uint32_t& peer = next_peer_; peer < count; ++peer) {
    if (peer == rank.number || !post_.team().direct(rank.number, peer)) continue;
    if (const Status status = map_source(peer, stream); status != Status::ok) return status;
  }
  for (; next_peer_ - count < post_.team().proxies().size(); ++next_peer_) {
    const ProxyEntry& pair = post_.team().proxies()[next_peer_ - count];
    if (pair.proxy != rank.number) continue;
    Entry& entry = post_.entry(pair.destination);
    const Status status = map(pair.destination, entry.destination, Side::destination);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status Mappings::map_source(std::uint32_t peer, CUstream stream) {
  Entry& entry = post_.entry(peer);
  if (const Status status = map(peer, entry.source, Side::source); status != Status::ok)
    return status;
  const CUevent event = post_.team().events().of_peer(post_.slot, peer, entry);
  return cuStreamWaitEvent(stream, event, 0) == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

// Maps a peer's memory. If a mapping that is still in use overlaps, the caller retries later.
Status Mappings::map(std::uint32_t peer, harness::SharedSlot<MemInfo>& published, Side side) {
  const MemInfo info = read_info(published, post_.mark());
  const Use use{post_.rank.number, post_.request, peer, side == Side::destination};
  const Status status = cache_of(peer).map(info, use, of(side, peer));
  if (status == Status::in_progress) {
    blocked_by_ = peer;
    blocked_on_ = info;
  }
  return status;
}

MemInfo Mappings::read_info(harness::SharedSlot<MemInfo>& slot, harness::Generation mark) {
  MemInfo info;
  info.ptr = slot.read(&MemInfo::ptr, mark);
  if (info.ptr == 0) return info;
  info.length = slot.read(&MemInfo::length, mark);
  info.handle = read_wide(slot, &MemInfo::handle, mark);
  return info;
}

// ---- letting go ---------------------------------------------------------------------------------

// Unmaps in UCC's order: all sources, then the destinations that were mapped as a proxy.
void Mappings::unmap_all() {
  const SiteScope site(core_.scheduler, kUnmapSite);
  const Rank& rank = post_.rank;
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    if (peer == rank.number || !post_.team().direct(rank.number, peer) || !post_.copies_peers())
      continue;
    core_.policy->unmap(*this, Side::source, peer);
    core_.delay_point("between peers in unmap");
  }
  const SiteScope proxy(core_.scheduler, kProxyUnmapSite);
  for (const ProxyEntry& entry : post_.team().proxies())
    if (entry.proxy == rank.number && post_.copies_peers())
      core_.policy->unmap(*this, Side::destination, entry.destination);
}

}  // namespace targets::alltoallv
