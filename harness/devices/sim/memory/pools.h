// SPDX-License-Identifier: Apache-2.0
// Pools: memory that was given back, by pool, and which pool is whose.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/devices/sim/handles.h"
#include "harness/devices/sim/memory/partial_reuse.h"

namespace harness::devices {

class SimDevice;

/// Where the memory of a pool is, and of what type it is.
enum class PoolKind : std::uint8_t {
  device,
  host,
  host_node,
  managed,  ///< Managed memory without a preferred location.
  managed_device,
  managed_host,
  managed_host_node,
  none,  ///< Not a kind that there is.
};
inline constexpr std::size_t kPoolKindCount = static_cast<std::size_t>(PoolKind::none);

/// Returns the kind of pool for a location and a type of allocation.
PoolKind pool_kind(const CUmemLocation& location, CUmemAllocationType type);

/// Returns where memory of this kind is.
CUmemLocation location_of(PoolKind kind);

struct Pool : Object {
  bool is_default = false;
  bool is_exportable = false;     ///< Other processes may be given it by a file.
  std::uint32_t exported_by = 0;  ///< It is another process's, by the number in the run; 0 if not.
  PoolKind kind = PoolKind::device;
  CUmemAccess_flags device_access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  std::vector<std::uint32_t> freed;  ///< Blocks that calls have freed, in that order.
  std::uint64_t release_threshold = 0;
  std::uint64_t limit = 0;  ///< Most bytes that may be in use; 0 for no limit.
  bool follow_events = true;
  bool opportunistic = true;
  bool internal_dependencies = true;
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  std::uint64_t reserved = 0;
  std::uint64_t reserved_high = 0;
  void reset();

  void set_kind(PoolKind wanted);
  bool is_managed() const { return kind >= PoolKind::managed; }
  /// Its memory is the host's: allocations of pinned memory.
  bool is_pinned() const { return kind == PoolKind::host || kind == PoolKind::host_node; }
};

class Pools {
 public:
  explicit Pools(SimDevice& sim) : sim_(sim), partial_reuse_(sim) {}
  void begin() {
    freed_.clear();
    partial_reuse_.begin();
  }

  /// Returns the default pool of the running task's process.
  Pool& default_pool(PoolKind kind = PoolKind::device);
  Pool& current(PoolKind kind = PoolKind::device);
  /// Makes it the current pool of its kind.
  void make_current(Pool& pool);
  /// Makes the default pool current where this one was.
  void ended(const Pool& pool);
  /// Gives back what pools hold beyond their thresholds: a synchronisation does that.
  void shrink();

  /// Notes that the call that frees the block was made: its storage may be given out again.
  void give_back(std::uint32_t block);
  /// Returns whether a repair keeps the block as it is, freed or not.
  bool is_kept(std::uint32_t block) const;
  /// Ends the block's life; its pool has less in use.
  void release(std::uint32_t block);
  /// Returns the blocks of no pool that were given back, in that order.
  std::vector<std::uint32_t>& freed() { return freed_; }
  PartialReuse& partial_reuse() { return partial_reuse_; }
  /// Forgets freed blocks of the list of which no storage is left.
  void drop_used_up(std::vector<std::uint32_t>& freed) const;

 private:
  SimDevice& sim_;
  std::vector<std::uint32_t> freed_;
  PartialReuse partial_reuse_;
};

}  // namespace harness::devices
