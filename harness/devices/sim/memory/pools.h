// Pools: memory that was given back, by pool, and which pool is whose.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/devices/sim/handles.h"

namespace harness::devices {

class SimDevice;

struct Pool : Object {
  bool is_default = false;
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
};

class Pools {
 public:
  explicit Pools(SimDevice& sim) : sim_(sim) {}
  void begin() { freed_.clear(); }

  /// Returns the default pool of the running task's process.
  Pool& default_pool();
  Pool& current();
  /// Gives back what pools hold beyond their thresholds: a synchronisation does that.
  void shrink();

  /// Notes that the call that frees the block was made: its storage may be given out again.
  void give_back(std::uint32_t block);
  /// Ends the block's life; its pool has less in use.
  void release(std::uint32_t block);
  /// Returns the blocks of no pool that were given back, in that order.
  std::vector<std::uint32_t>& freed() { return freed_; }

 private:
  SimDevice& sim_;
  std::vector<std::uint32_t> freed_;
};

}  // namespace harness::devices
