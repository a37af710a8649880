// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/pools.h"
#include "harness/devices/sim/memory/parts.h"

#include <algorithm>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

void Pool::reset() {
  is_default = is_exportable = false;
  exported_by = 0;
  kind = PoolKind::device;
  device_access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  freed.clear();
  release_threshold = limit = used = used_high = reserved = reserved_high = 0;
  follow_events = opportunistic = internal_dependencies = true;
}

void Pool::set_kind(PoolKind wanted) {
  kind = wanted;
  device_access = is_pinned() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

PoolKind pool_kind(const CUmemLocation& location, CUmemAllocationType type) {
  if (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED)
    return PoolKind::none;
  const bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_NONE:
      return managed ? PoolKind::managed : PoolKind::none;
    case CU_MEM_LOCATION_TYPE_DEVICE:
      if (location.id != 0) return PoolKind::none;
      return managed ? PoolKind::managed_device : PoolKind::device;
    case CU_MEM_LOCATION_TYPE_HOST:
      return managed ? PoolKind::managed_host : PoolKind::host;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:  // The host has only one node.
      if (location.id != 0) return PoolKind::none;
      return managed ? PoolKind::managed_host_node : PoolKind::host_node;
    default:
      return PoolKind::none;
  }
}

CUmemLocation location_of(PoolKind kind) {
  switch (kind) {
    case PoolKind::device:
    case PoolKind::managed_device:
      return {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    case PoolKind::host:
    case PoolKind::managed_host:
      return {CU_MEM_LOCATION_TYPE_HOST, 0};
    case PoolKind::host_node:
    case PoolKind::managed_host_node:
      return {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
    case PoolKind::managed:
    case PoolKind::none:
      break;
  }
  return {CU_MEM_LOCATION_TYPE_NONE, 0};
}

Pool& Pools::default_pool(PoolKind kind) {
  Pool*& pool = sim_.processes().current().default_pools[static_cast<std::size_t>(kind)];
  if (pool == nullptr) {
    pool = &sim_.handles().pools.add();
    pool->is_default = true;
    pool->set_kind(kind);
  }
  return *pool;
}

Pool& Pools::current(PoolKind kind) {
  Pool* pool = sim_.processes().current().current_pools[static_cast<std::size_t>(kind)];
  return pool != nullptr ? *pool : default_pool(kind);
}

void Pools::make_current(Pool& pool) {
  sim_.processes().current().current_pools[static_cast<std::size_t>(pool.kind)] = &pool;
}

void Pools::ended(const Pool& pool) {
  Pool*& current = sim_.processes().current().current_pools[static_cast<std::size_t>(pool.kind)];
  if (current == &pool) current = nullptr;
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
  if (block.graph != nullptr) return;  // Its address still belongs to the graph.
  if (Intervention::current() != nullptr) [[unlikely]]
    if (is_kept(index)) return;
  (block.pool != nullptr ? block.pool->freed : freed_).push_back(index);
}

void Pools::drop_used_up(std::vector<std::uint32_t>& freed) const {
  Memory& memory = sim_.memory();
  std::erase_if(freed, [&](std::uint32_t index) {
    const Block& block = sim_.memory().block(index);
    const std::uint64_t end = block.base + block.granules * Memory::kGranule;
    return block.is_cut && own_storage(memory, index) == end;
  });
}

bool Pools::is_kept(std::uint32_t index) const {
  const Block& block = sim_.memory().block(index);
  return block.graph == nullptr && sim_.ledger().keeps(block.birth);
}

void Pools::release(std::uint32_t index) {
  sim_.memory().retire(index);
  const Block& block = sim_.memory().block(index);
  if (block.is_shared) [[unlikely]]
    sim_.processes().sharing().ended(index);
  if (block.origin == Origin::imported) [[unlikely]]
    sim_.processes().sharing().closed(index);
  if (block.pool != nullptr) block.pool->used -= block.granules * Memory::kGranule;
  if (block.graph != nullptr) sim_.graphs().allocations().life_ended(*block.graph);
}

}  // namespace harness::devices
