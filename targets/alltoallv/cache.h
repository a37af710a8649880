// SPDX-License-Identifier: Apache-2.0
// Cache: a process's mappings of one peer's memory, by the address that the memory has at the peer.
//
// The cache of UCC: a page table of regions and a count in each, under a lock; nothing is ever
// evicted. A look-up is by address, so that any address inside a region finds it. The counts are
// advice: a handle that changed, an overlap and a purge close what they meet. CloseRule::counted
// heeds them.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/alltoallv/core.h"
#include "targets/alltoallv/segment.h"

namespace targets::alltoallv {

enum class CloseRule : std::uint8_t {
  blind,    ///< Closes any mapping that is in the way, whatever its count.
  counted,  ///< It is only marked, and closes when the last one lets go.
};

/// A mapping. Lifetime: from open to close.
struct Region {
  CUdeviceptr start;  ///< Address at the peer, aligned to 16.
  CUdeviceptr end;
  Handle handle;
  CUdeviceptr mapped;  ///< Here.
  std::uint64_t count = 0;
  bool garbage = false;  ///< Never opened; `mapped` is whatever was on the stack.

  bool holds(CUdeviceptr address) const { return start <= address && address < end; }
  bool overlaps(CUdeviceptr first, CUdeviceptr last) const { return first < end && start < last; }
};

/// A mapping as map() returns it: the address of the peer's allocation here, and its users.
struct Mapping {
  CUdeviceptr mapped = 0;
  CUdeviceptr key = 0;               ///< The peer's address, to find the region again by.
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
  /// CloseRule::counted: in progress while a mapping with users has the addresses; see
  /// is_in_the_way().
  Status map(const MemInfo& info, const Use& use, Mapping& mapping);

  /// Counts down what is found under `key`. What is missing is followed nevertheless, or ignored.
  enum class Missing : std::uint8_t { followed, ignored };
  void unmap(CUdeviceptr key, Mapping& mapping, Missing missing, bool force = false);
  /// Counts down the region that map() gave.
  void unmap_region(Mapping& mapping);

  /// Whether a region that is marked, and still held, overlaps.
  bool is_in_the_way(const MemInfo& info) const;

  /// ucc_tl_cuda_destroy_cache, which upstream never calls: closes everything.
  void destroy();

 private:
  using Regions = std::pmr::vector<harness::Owned<Region>>;

  Region* find(CUdeviceptr address, harness::BirthId& birth);
  CUresult open(const MemInfo& info, const Use& use, CUdeviceptr& mapped, bool& garbage);
  /// Throws out of the table whatever is in the way of a use that is being mapped.
  void clear(CUdeviceptr first, CUdeviceptr last, Reason reason, const Use& by);
  void evict(std::size_t index, Reason reason, const Use& by);
  void remove(std::size_t index);
  void close(harness::Owned<Region>& region);
  /// Follows the null pointer of a region that is not in the table: the process crashes.
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
  Regions doomed_;  ///< CloseRule::counted: out of the table, and still held.
};

}  // namespace targets::alltoallv
