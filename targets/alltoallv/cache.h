// SPDX-License-Identifier: Apache-2.0
// Cache: a process's mappings of one peer's memory, keyed by the memory's address at the peer.
//
// It models UCC's cache: a page table of counted regions under a lock, without eviction by size.
// Any address inside a region finds it. With CloseRule::blind the counts do not protect a mapping:
// a changed handle, an overlap and a purge close it even with users. CloseRule::counted respects
// the counts.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/alltoallv/core.h"
#include "targets/alltoallv/segment.h"

namespace targets::alltoallv {

enum class CloseRule : std::uint8_t {
  blind,    ///< Closes any mapping that is in the way, whatever its count.
  counted,  ///< Only marks the mapping, which closes when its last user releases it.
};

/// A mapping. Lifetime: from its opening to its closing.
struct Region {
  CUdeviceptr start;  ///< Address at the peer, aligned to 16.
  CUdeviceptr end;
  Handle handle;
  CUdeviceptr mapped;  ///< Address in this process.
  std::uint64_t count = 0;
  bool garbage = false;  ///< The open failed; `mapped` is an uninitialized value.

  bool holds(CUdeviceptr address) const { return start <= address && address < end; }
  bool overlaps(CUdeviceptr first, CUdeviceptr last) const { return first < end && start < last; }
};

/// Result of map(): the local address of the peer's allocation, and the use it was mapped for.
struct Mapping {
  CUdeviceptr mapped = 0;
  CUdeviceptr key = 0;               ///< Address at the peer, by which the region is looked up.
  harness::Borrowed<Region> region;  ///< The region itself.
  Use use;
};

/// Ownership: owns its regions. Leaves them open at the end as UCC does, unless configured
/// differently. Threads: those of the process; each call holds the lock throughout.
class Cache {
 public:
  /// Makes the cache of `rank`'s mappings of `peer`'s memory.
  Cache(Core& core, std::uint32_t rank, std::uint32_t peer)
      : core_(core), rank_(rank), peer_(peer), lock_(core.scheduler, "cache") {}

  /// Finds or opens a mapping. A null address maps to nothing, which is not an error.
  /// CloseRule::counted: returns in_progress while another mapping with users covers the addresses;
  /// see is_in_the_way().
  Status map(const MemInfo& info, const Use& use, Mapping& mapping);

  /// If no region has the key, unmap() follows a null pointer (as upstream) or does nothing.
  enum class Missing : std::uint8_t { followed, ignored };
  void unmap(CUdeviceptr key, Mapping& mapping, Missing missing, bool force = false);
  /// Counts down the region that map() returned.
  void unmap_region(Mapping& mapping);

  /// Returns whether a region that is marked for closing, but still has users, overlaps.
  bool is_in_the_way(const MemInfo& info) const;

  /// Closes everything. Upstream has this as ucc_tl_cuda_destroy_cache, but never calls it.
  void destroy();

 private:
  using Regions = std::pmr::vector<harness::Owned<Region>>;

  Region* find(CUdeviceptr address, harness::BirthId& birth);
  CUresult open(const MemInfo& info, const Use& use, CUdeviceptr& mapped, bool& garbage);
  /// Evicts every region that overlaps a new mapping.
  void clear(CUdeviceptr first, CUdeviceptr last, Reason reason, const Use& by);
  void evict(std::size_t index, Reason reason, const Use& by);
  void remove(std::size_t index);
  void close(harness::Owned<Region>& region);
  /// Dereferences the null pointer of a failed look-up: the process crashes.
  [[noreturn]] void follow_null(const Mapping& mapping);
  void count_down(Region& region, harness::BirthId birth, Mapping& mapping, bool force);
  void close_if_idle(Region& region, bool force);
  void insert(const MemInfo& info, CUdeviceptr mapped, bool garbage, const Use& use,
              Mapping& mapping);
  void give(Region& region, harness::Borrowed<Region> borrowed, const MemInfo& info, const Use& use,
            Mapping& mapping);

  Core& core_;
  std::uint32_t rank_;
  std::uint32_t peer_;
  harness::Mutex lock_;
  Regions table_;   ///< Regions by start.
  Regions doomed_;  ///< CloseRule::counted: removed from the table, but still in use.
};

}  // namespace targets::alltoallv
