#include "harness/devices/sim/memory/pools.h"

#include <algorithm>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

void Pool::reset() {
  is_default = false;
  freed.clear();
  release_threshold = limit = used = used_high = reserved = reserved_high = 0;
  follow_events = opportunistic = internal_dependencies = true;
}

Pool& Pools::default_pool() {
  Pool*& pool = sim_.processes().current().default_pool;
  if (pool == nullptr) {
    pool = &sim_.handles().pools.add();
    pool->is_default = true;
  }
  return *pool;
}

Pool& Pools::current() {
  Pool* pool = sim_.processes().current().current_pool;
  return pool != nullptr ? *pool : default_pool();
}

void Pools::shrink() {
  const auto& pools = sim_.handles().pools;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    Pool& pool = pools[i];
    if (pool.reserved > pool.release_threshold)
      pool.reserved = std::max(pool.used, pool.release_threshold);
  }
}

void Pools::give_back(std::uint32_t index) {
  Block& block = sim_.memory().block(index);
  block.freed = true;
  if (block.graph != nullptr) return;  // Its address stays the graph's.
  (block.pool != nullptr ? block.pool->freed : freed_).push_back(index);
}

void Pools::release(std::uint32_t index) {
  sim_.memory().retire(index);
  const Block& block = sim_.memory().block(index);
  if (block.pool != nullptr) block.pool->used -= block.granules * Memory::kGranule;
  if (block.graph != nullptr) sim_.graphs().allocations().life_ended(*block.graph);
}

}  // namespace harness::devices
