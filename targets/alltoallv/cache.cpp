// SPDX-License-Identifier: Apache-2.0
// How it works. A region is an owned host object that exists as long as its mapping, so that a
// later access through a pointer to it is detected. The table is small and sorted by address.
#include "targets/alltoallv/cache.h"

#include <algorithm>

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

using harness::BirthId;
using harness::Label;
using harness::LockGuard;
using harness::Owned;
using harness::SiteScope;

namespace {

constexpr CUdeviceptr kPage = 16;
constexpr CUdeviceptr page_start(CUdeviceptr address) { return address & ~(kPage - 1); }
constexpr CUdeviceptr page_end(const MemInfo& info) {
  return page_start(info.ptr + info.length + kPage - 1);
}

/// Stands for the content of an uninitialized pointer. Fixed, so that all builds behave alike.
constexpr CUdeviceptr kGarbage = 0xdead'beef'0000;

Label site_of(Reason reason) {
  constexpr std::array<Label, 3> kSites{kStaleSite, kInTheWaySite, kPurgeSite};
  return kSites[harness::raw(reason)];
}

}  // namespace

Region* Cache::find(CUdeviceptr address, BirthId& birth) {
  for (Owned<Region>& region : table_) {
    if (!region->holds(address)) continue;
    birth = region.birth();
    return &*region;
  }
  return nullptr;
}

// ---- mapping ------------------------------------------------------------------------------------

Status Cache::map(const MemInfo& info, const Use& use, Mapping& mapping) {
  mapping = {};
  if (info.ptr == 0 || info.length == 0) return Status::ok;
  const SiteScope site(core_.scheduler, "map");
  const LockGuard guard(lock_);
  for (std::size_t i = 0; i < table_.size(); ++i) {
    Region& region = *table_[i];
    if (!region.holds(info.ptr)) continue;
    if (region.handle == info.handle) {
      give(region, table_[i].borrow(), info, use, mapping);
      return Status::ok;
    }
    evict(i, Reason::stale, use);
    break;
  }
  CUdeviceptr mapped = 0;
  bool garbage = false;
  if (const CUresult result = open(info, use, mapped, garbage); result != CUDA_SUCCESS) {
    const bool later = result == CUDA_ERROR_ALREADY_MAPPED && is_in_the_way(info);
    return later ? Status::in_progress : Status::driver_error;
  }
  clear(page_start(info.ptr), page_end(info), Reason::in_the_way, use);
  insert(info, mapped, garbage, use, mapping);
  return Status::ok;
}

// On "already mapped", closes what is in the way and retries; then closes everything and retries.
CUresult Cache::open(const MemInfo& info, const Use& use, CUdeviceptr& mapped, bool& garbage) {
  const auto attempt = [&] {
    return cuIpcOpenMemHandle(&mapped, std::bit_cast<CUipcMemHandle>(info.handle),
                              CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  };
  CUresult result = attempt();
  if (result != CUDA_ERROR_ALREADY_MAPPED) return result;
  clear(page_start(info.ptr), page_end(info), Reason::in_the_way, use);
  result = attempt();
  if (result == CUDA_SUCCESS) return result;
  if (result == CUDA_ERROR_ALREADY_MAPPED) {
    clear(0, ~CUdeviceptr{0}, Reason::purge, use);
    return attempt();
  }
  core_.tell([&](Observer& observer) { observer.open_failed(rank_, peer_); });
  if (core_.policy->refuses_failed_opens()) return result;
  mapped = kGarbage;  // Upstream only logs, and continues with an entry that was never filled in.
  garbage = true;
  return CUDA_SUCCESS;
}

void Cache::insert(const MemInfo& info, CUdeviceptr mapped, bool garbage, const Use& use,
                   Mapping& mapping) {
  Owned<Region> region = core_.runtime.host.make<Region>(
      garbage ? kUnopenedRegion : kRegion, page_start(info.ptr), page_end(info), info.handle,
      mapped, std::uint64_t{0}, garbage);
  Region& inserted = *region;
  const auto borrowed = region.borrow();
  const auto after = [](const Owned<Region>& a, const Owned<Region>& b) {
    return a->start < b->start;
  };
  table_.insert(std::upper_bound(table_.begin(), table_.end(), region, after), std::move(region));
  core_.tell([&](Observer& observer) {
    observer.opened(
        {rank_, peer_, borrowed.birth(), inserted.start, inserted.end, info.length, !garbage});
  });
  give(inserted, borrowed, info, use, mapping);
}

void Cache::give(Region& region, harness::Borrowed<Region> borrowed, const MemInfo& info,
                 const Use& use, Mapping& mapping) {
  ++region.count;
  mapping = {region.mapped, info.ptr, borrowed, use};
  core_.tell([&](Observer& observer) { observer.mapped(use, borrowed.birth(), region.count); });
}

// ---- closing ------------------------------------------------------------------------------------

void Cache::clear(CUdeviceptr first, CUdeviceptr last, Reason reason, const Use& by) {
  for (std::size_t i = table_.size(); i-- > 0;) {
    if (!table_[i]->overlaps(first, last)) continue;
    evict(i, reason, by);
  }
}

void Cache::evict(std::size_t index, Reason reason, const Use& by) {
  const Owned<Region>& region = table_[index];
  core_.tell(
      [&](Observer& observer) { observer.evicting({region.birth(), region->count, reason, by}); });
  const SiteScope site(core_.scheduler, site_of(reason));
  remove(index);
}

void Cache::remove(std::size_t index) {
  Owned<Region> region = std::move(table_[index]);
  table_.erase(table_.begin() + static_cast<std::ptrdiff_t>(index));
  if (core_.policy->close_rule() == CloseRule::counted && region->count > 0) {
    core_.tell([&](Observer& observer) { observer.marked(region.birth()); });
    doomed_.push_back(std::move(region));
    return;
  }
  close(region);
}

void Cache::close(Owned<Region>& region) {
  core_.tell([&](Observer& observer) { observer.closing(region.birth()); });
  if (!region->garbage) cuIpcCloseMemHandle(region->mapped);
  region.reset();
  core_.ring();
}

bool Cache::is_in_the_way(const MemInfo& info) const {
  return std::any_of(doomed_.begin(), doomed_.end(), [&](const Owned<Region>& region) {
    return region->overlaps(page_start(info.ptr), page_end(info));
  });
}

// ---- letting go ---------------------------------------------------------------------------------

void Cache::unmap(CUdeviceptr key, Mapping& mapping, Missing missing, bool force) {
  if (key == 0 || mapping.mapped == 0) return;
  const LockGuard guard(lock_);
  BirthId birth = BirthId::none;
  Region* region = find(key, birth);
  core_.delay_point("between look-up and decrement");
  if (region == nullptr) {
    if (missing == Missing::followed) follow_null(mapping);
    return;
  }
  count_down(*region, birth, mapping, force);
}

void Cache::follow_null(const Mapping& mapping) {
  core_.tell(
      [&](Observer& observer) { observer.followed_null(mapping.use, mapping.region.birth()); });
  core_.scheduler.die();
}

void Cache::unmap_region(Mapping& mapping) {
  if (mapping.mapped == 0) return;
  const LockGuard guard(lock_);
  Region& region = *mapping.region;
  core_.delay_point("between look-up and decrement");
  count_down(region, mapping.region.birth(), mapping, false);
  mapping = {};
}

void Cache::count_down(Region& region, BirthId birth, Mapping& mapping, bool force) {
  core_.tell([&](Observer& observer) { observer.let_go(mapping.use, birth, region.count); });
  --region.count;  // Wraps at 0, as upstream's does.
  if (region.count == 0) close_if_idle(region, force);
}

void Cache::close_if_idle(Region& region, bool force) {
  const auto is_it = [&](const Owned<Region>& owned) { return &*owned == &region; };
  if (const auto found = std::find_if(doomed_.begin(), doomed_.end(), is_it);
      found != doomed_.end()) {
    Owned<Region> last = std::move(*found);
    doomed_.erase(found);
    return close(last);
  }
  if (!force && !core_.setup.close_at_zero) return;
  const auto found = std::find_if(table_.begin(), table_.end(), is_it);
  if (found != table_.end()) remove(static_cast<std::size_t>(found - table_.begin()));
}

void Cache::destroy() {
  const SiteScope site(core_.scheduler, "destroy_cache");
  while (!table_.empty()) remove(table_.size() - 1);
}

}  // namespace targets::alltoallv
