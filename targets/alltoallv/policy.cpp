#include "targets/alltoallv/policy.h"

#include "targets/alltoallv/check_generation.h"
#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

CUdeviceptr Policy::reread_key(Task& task, Side side, std::uint32_t peer) {
  Entry& entry = *core_.segment->slot(task.slot).entries[peer];
  harness::SharedSlot<MemInfo>& info = side == Side::source ? entry.source : entry.destination;
  return info.read(&MemInfo::ptr, task.generation());
}

Cache& Policy::cache_of(Task& task, std::uint32_t peer) { return task.process.cache_of(peer); }

void Policy::unmap(Task& task, Side side, std::uint32_t peer) {
  cache_of(task, peer)
      .unmap(reread_key(task, side, peer), mapping_of(task, side, peer), Cache::Missing::followed);
}

Mapping& Policy::mapping_of(Task& task, Side side, std::uint32_t peer) {
  return side == Side::source ? task.sources[peer] : task.destinations[peer];
}

// The key is read under any mark: one that is thrown away was never used.
void CheckGeneration::unmap(Task& task, Side side, std::uint32_t peer) {
  Entry& entry = *core_.segment->slot(task.slot).entries[peer];
  harness::SharedSlot<MemInfo>& info = side == Side::source ? entry.source : entry.destination;
  const std::uint64_t own = task.use();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (entry.tag.read() != own) continue;
    const CUdeviceptr key = info.read(&MemInfo::ptr, harness::Generation::any);
    if (entry.tag.read() != own) continue;
    return cache_of(task, peer).unmap(key, mapping_of(task, side, peer), Cache::Missing::followed);
  }
}

}  // namespace targets::alltoallv
