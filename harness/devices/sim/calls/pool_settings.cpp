// SPDX-License-Identifier: Apache-2.0
// Pools of stream-ordered memory: their creation and attributes.
#include <algorithm>
#include <cstring>

#include "harness/devices/sim/calls/calls.h"

namespace harness::devices {

namespace calls {

// ---- pools ------------------------------------------------------------------------------------

CUresult Calls::cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pool = sim.pools().default_pool().as<CUmemoryPool>();
  return CUDA_SUCCESS;
}

/// For an unknown device, drivers return INVALID_VALUE here, but INVALID_DEVICE when asked for the
/// default pool.
CUresult Calls::cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  if (device != 0) return CUDA_ERROR_INVALID_VALUE;
  Pool* pool = sim.find(sim.handles().pools, handle, "pool");
  if (pool == nullptr || pool->kind != PoolKind::device) return CUDA_ERROR_INVALID_VALUE;
  sim.pools().make_current(*pool);
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  if (device != 0 || pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pool = sim.pools().current().as<CUmemoryPool>();
  return CUDA_SUCCESS;
}

/// Finds the kind of pool for this location and type.
static CUresult find_kind(const CUmemLocation* location, CUmemAllocationType type, PoolKind& kind) {
  if (location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  kind = pool_kind(*location, type);
  if (kind != PoolKind::none) return CUDA_SUCCESS;
  const bool of_a_device = location->type == CU_MEM_LOCATION_TYPE_DEVICE && location->id != 0;
  return of_a_device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
}

CUresult Calls::cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                       CUmemAllocationType type) {
  PoolKind kind{};
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = find_kind(location, type, kind); error != CUDA_SUCCESS) return error;
  *pool = sim.pools().default_pool(kind).as<CUmemoryPool>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type) {
  PoolKind kind{};
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = find_kind(location, type, kind); error != CUDA_SUCCESS) return error;
  *pool = sim.pools().current(kind).as<CUmemoryPool>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type,
                                CUmemoryPool handle) {
  PoolKind kind{};
  if (const CUresult error = find_kind(location, type, kind); error != CUDA_SUCCESS) return error;
  Pool* pool = sim.find(sim.handles().pools, handle, "pool");
  if (pool == nullptr || pool->kind != kind || pool->exported_by != 0)
    return CUDA_ERROR_INVALID_VALUE;
  sim.pools().make_current(*pool);
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const PoolKind kind = pool_kind(properties->location, properties->allocType);
  if (kind == PoolKind::none) return CUDA_ERROR_INVALID_VALUE;
  const bool is_exportable = properties->handleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
    if (kind == PoolKind::host) return CUDA_ERROR_INVALID_VALUE;
    if (!is_exportable || kind != PoolKind::device) return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  Pool& made = sim.handles().pools.add();
  made.birth = sim.ledger().born("pool", made.handle, 0);
  made.limit = properties->maxSize;
  made.is_exportable = is_exportable;
  made.set_kind(kind);
  *pool = made.as<CUmemoryPool>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemPoolDestroy(CUmemoryPool handle) {
  Pool* pool = sim.handles().pools.find(handle);
  if (pool == nullptr || pool->is_default) return CUDA_ERROR_INVALID_VALUE;
  if (!pool->alive) {
    sim.ledger().double_free(pool->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  pool->alive = false;  // Its blocks exist until they are freed.
  sim.pools().ended(*pool);
  sim.ledger().died(pool->birth);
  return CUDA_SUCCESS;
}

/// Returns the counter that an attribute names; null if it names none.
static std::uint64_t* counter(Pool& pool, CUmemPool_attribute attribute) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return &pool.release_threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return &pool.reserved;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return &pool.reserved_high;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return &pool.used;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return &pool.used_high;
    default:
      return nullptr;
  }
}

static bool* flag(Pool& pool, CUmemPool_attribute attribute) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return &pool.follow_events;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return &pool.opportunistic;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return &pool.internal_dependencies;
    default:
      return nullptr;
  }
}

/// Sets a counter. A high-water mark can only be reset to the current value.
static CUresult set_counter(Pool& pool, CUmemPool_attribute attribute, std::uint64_t value) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      pool.release_threshold = value;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      if (value != 0) return CUDA_ERROR_INVALID_VALUE;
      pool.reserved_high = pool.reserved;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (value != 0) return CUDA_ERROR_INVALID_VALUE;
      pool.used_high = pool.used;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult Calls::cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                      void* value) {
  Pool* pool = sim.find(sim.handles().pools, handle, "pool");
  if (pool == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (bool* found = flag(*pool, attribute)) {
    int number = 0;
    std::memcpy(&number, value, sizeof number);
    *found = number != 0;
    return CUDA_SUCCESS;
  }
  cuuint64_t number = 0;
  std::memcpy(&number, value, sizeof number);
  return set_counter(*pool, attribute, number);
}

CUresult Calls::cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                      void* value) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  Pool* pool = sim.find(sim.handles().pools, handle, "pool");
  if (pool == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const bool* found = flag(*pool, attribute)) {
    const int number = *found ? 1 : 0;
    std::memcpy(value, &number, sizeof number);
    return CUDA_SUCCESS;
  }
  const std::uint64_t* found = counter(*pool, attribute);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(value, found, sizeof *found);
  return CUDA_SUCCESS;
}

/// Returns the number of bytes freed on the device whose free the host has not yet observed.
static std::uint64_t unobserved_bytes(SimDevice& sim, const Pool& pool) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t index : pool.freed) {
    const Block& block = sim.memory().block(index);
    if (block.dead && block.freed_at.stream != nullptr &&
        !sim.data_races().host().includes(block.freed_order))
      bytes += block.granules * Memory::kGranule;
  }
  return bytes;
}

/// Memory whose free the host has not observed may count as outstanding, which is a choice.
CUresult Calls::cuMemPoolTrimTo(CUmemoryPool handle, size_t bytes_to_keep) {
  Pool* pool = sim.find(sim.handles().pools, handle, "pool");
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  std::uint64_t outstanding = pool->used;
  const std::uint64_t unobserved = unobserved_bytes(sim, *pool);
  if (unobserved != 0 && sim.world().picker.pick(Site::reuse, 2) != 0) outstanding += unobserved;
  if (pool->reserved > bytes_to_keep)
    pool->reserved = std::min(pool->reserved, std::max<std::uint64_t>(outstanding, bytes_to_keep));
  return CUDA_SUCCESS;
}

// ---- access -----------------------------------------------------------------------------------

static bool is_the_device(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && location.id == 0;
}

static bool is_the_host(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_HOST ||
         (location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA && location.id == 0);
}

/// Returns whether a pool may get this access. Access from its own location cannot be reduced.
static bool may_get(const Pool& pool, const CUmemAccessDesc& access) {
  const bool whole = access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  if (!is_the_device(access.location))
    return is_the_host(access.location) && pool.kind != PoolKind::device && whole;
  const bool known = whole || access.flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                     access.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return whole || (known && pool.is_pinned());
}

CUresult Calls::cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* access,
                                   size_t count) {
  Pool* pool = sim.find(sim.handles().pools, handle, "pool");
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (access == nullptr && count != 0) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i)
    if (!may_get(*pool, access[i])) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i)
    if (is_the_device(access[i].location)) pool->device_access = access[i].flags;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemPoolGetAccess(CUmemAccess_flags* access, CUmemoryPool handle,
                                   CUmemLocation* location) {
  const Pool* pool = sim.find(sim.handles().pools, handle, "pool");
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (access == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!is_the_device(*location) && (pool->kind == PoolKind::device || !is_the_host(*location)))
    return CUDA_ERROR_INVALID_VALUE;
  *access = is_the_device(*location) ? pool->device_access : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace harness::devices
