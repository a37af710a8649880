// SPDX-License-Identifier: Apache-2.0
// Pools: memory pools, their freed blocks, and the current pool of each process.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/devices/sim/handles.h"
#include "harness/devices/sim/memory/partial_reuse.h"

namespace harness::devices {

class SimDevice;

/// Location and type of a pool's memory.
enum class PoolKind : std::uint8_t {
  device,
  host,
  host_node,
  managed,  ///< Managed memory without a preferred location.
  managed_device,
  managed_host,
  managed_host_node,
  none,  ///< An invalid kind.
};
inline constexpr std::size_t kPoolKindCount = static_cast<std::size_t>(PoolKind::none);

/// Returns the kind of pool for a location and a type of allocation.
PoolKind pool_kind(const CUmemLocation& location, CUmemAllocationType type);

/// Returns the location of memory of this kind.
CUmemLocation location_of(PoolKind kind);

struct Pool : Object {
  bool is_default = false;
  bool is_exportable = false;     ///< May be exported to other processes by a file descriptor.
  std::uint32_t exported_by = 0;  ///< The number in the run of the process that exported it; 0 if
                                  ///< it belongs to this process.
  PoolKind kind = PoolKind::device;
  CUmemAccess_flags device_access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  std::vector<std::uint32_t> freed;  ///< Blocks freed by calls, in that order.
  std::uint64_t release_threshold = 0;
  std::uint64_t limit = 0;  ///< Maximum bytes in use; 0 for no limit.
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
  /// Returns whether its memory is pinned host memory.
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
  /// Makes the pool the current one of its kind.
  void make_current(Pool& pool);
  /// A pool has ended: the default pool becomes current for each kind that it was current for.
  void ended(const Pool& pool);
  /// Releases memory beyond the thresholds of pools, as a synchronisation does.
  void shrink();

  /// Notes that the call that frees the block was made, so that its storage may be reused.
  void give_back(std::uint32_t block);
  /// Returns whether a repair keeps the block, freed or not.
  bool is_kept(std::uint32_t block) const;
  /// Ends the block's lifetime and updates the usage of its pool.
  void release(std::uint32_t block);
  /// Returns the freed blocks without a pool, in the order in which they were freed.
  std::vector<std::uint32_t>& freed() { return freed_; }
  PartialReuse& partial_reuse() { return partial_reuse_; }
  /// Removes freed blocks without remaining storage from the list.
  void drop_used_up(std::vector<std::uint32_t>& freed) const;

 private:
  SimDevice& sim_;
  std::vector<std::uint32_t> freed_;
  PartialReuse partial_reuse_;
};

}  // namespace harness::devices
