// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory, and its pools.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

namespace {

struct Pool {
  CUmemoryPool handle = nullptr;
  State state = State::pool_none;
};

CUmemPoolProps properties() {
  CUmemPoolProps made{};
  made.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  made.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  return made;
}

Pool make_pool(Program& p) {
  Pool pool;
  CUmemPoolProps wanted = properties();
  if (!p.keep(Rule::pools_are_on_a_device)) wanted.location.id = 99;
  cuMemPoolCreate(&pool.handle, &wanted);
  p.move(pool.state, Via::created);
  return pool;
}

void destroy(Program& p, Pool& pool) {
  cuMemPoolDestroy(pool.handle);
  p.move(pool.state, Via::destroyed);
}

CUdeviceptr allocate_from(Program& p, Pool& pool, std::size_t home, std::size_t bytes = kBytes) {
  CUdeviceptr address = 0;
  cuMemAllocFromPoolAsync(&address, bytes, pool.handle, p.handle(home));
  p.work(home);
  p.move(pool.state, Via::allocated);
  return address;
}

void free_in(Program& p, Pool& pool, CUdeviceptr address, std::size_t home) {
  cuMemFreeAsync(address, p.handle(home));
  p.work(home);
  p.move(pool.state, Via::all_freed);
}

}  // namespace

/// From its birth to its end, with memory that another stream uses in between, and may free.
static void hand_memory_on(Program& p) {
  Memory memory = p.memory.make(Kind::pooled, 0);
  if (p.keep(Rule::uses_come_after_the_allocation)) p.memory.use(1, memory);
  memory.home = 1;
  p.set(1, memory.address);
  if (p.coin()) {
    if (p.below(4) == 0) {
      p.wait(1);
      p.move(memory.state, Via::waited_for);
    }
    cuMemFreeAsync(memory.address, p.handle(1));
    p.work(1);
    return p.move(memory.state, Via::freed_in_another_stream);
  }
  if (p.keep(Rule::frees_come_after_the_uses)) p.hand_over(1, 0);
  if (p.below(4) == 0) {
    p.wait(0);
    p.move(memory.state, Via::waited_for);
  }
  cuMemFreeAsync(memory.address, p.handle(0));
  p.work(0);
  p.move(memory.state, Via::freed_in_its_stream);
}

/// cuMemFree waits for nothing when the memory is a pool's.
static void free_by_the_host(Program& p) {
  Memory memory = p.memory.make(Kind::pooled, 0);
  p.set(0, p.memory.use(0, memory));
  if (p.keep(Rule::pool_memory_is_waited_for_before_cuMemFree)) {
    p.wait(0);
    p.move(memory.state, Via::waited_for);
  }
  cuMemFree_v2(memory.address);
  p.move(memory.state, Via::freed_by_the_host);
}

static void free_once(Program& p) {
  Memory memory = p.memory.make(Kind::pooled, 0);
  cuMemFreeAsync(memory.address, p.handle(0));
  p.work(0);
  p.move(memory.state, Via::freed_in_its_stream);
  if (!p.keep(Rule::pool_memory_is_freed_once)) cuMemFreeAsync(memory.address, p.handle(0));
}

static void use_before_the_free(Program& p) {
  Memory memory = p.memory.make(Kind::pooled, 0);
  const bool kept = p.keep(Rule::uses_come_before_the_free);
  if (kept) p.set(0, p.memory.use(0, memory));
  p.memory.free(memory);
  if (!kept) p.set(0, memory.address);
}

// ---- pools ------------------------------------------------------------------------------------

static void own_pool(Program& p) {
  const std::size_t home = p.any_home();
  Pool pool = make_pool(p);
  CUdeviceptr address = allocate_from(p, pool, home);
  p.set(home, address);
  if (p.coin()) {  // Blocks that were handed out live on.
    destroy(p, pool);
    cuMemFreeAsync(address, p.handle(home));
    return p.work(home);
  }
  free_in(p, pool, address, home);
  destroy(p, pool);
}

static void current_pool(Program& p) {
  const std::size_t home = p.any_home();
  CUmemoryPool before = nullptr;
  cuDeviceGetMemPool(&before, 0);
  Pool pool = make_pool(p);
  cuDeviceSetMemPool(0, pool.handle);
  p.move(pool.state, Via::made_current);
  Memory memory = p.memory.make(Kind::pooled, home);
  cuMemFreeAsync(memory.address, p.handle(home));
  p.work(home);
  if (p.coin()) {
    cuDeviceSetMemPool(0, before);
    p.move(pool.state, Via::another_made_current);
  }
  destroy(p, pool);
  if (!p.keep(Rule::pools_are_alive)) cuDeviceSetMemPool(0, pool.handle);
  if (!p.keep(Rule::pools_are_destroyed_once)) cuMemPoolDestroy(pool.handle);
}

static void default_pool(Program& p) {
  CUmemoryPool pool = nullptr;
  cuDeviceGetDefaultMemPool(&pool, 0);
  cuMemPoolTrimTo(pool, 0);
  if (!p.keep(Rule::the_default_pool_stays)) cuMemPoolDestroy(pool);
}

static void attributes(Program& p) {
  const std::size_t home = p.any_home();
  Pool pool = make_pool(p);
  static constexpr CUmemPool_attribute kSwitches[] = {
      CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
      CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES};
  int on = p.coin();
  cuMemPoolSetAttribute(pool.handle, kSwitches[p.below(3)], &on);
  CUdeviceptr address = allocate_from(p, pool, home);
  free_in(p, pool, address, home);
  cuuint64_t mark = p.keep(Rule::marks_are_only_set_back) ? 0 : 1;
  cuMemPoolSetAttribute(pool.handle, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &mark);
  cuuint64_t used = 1;
  p.wait(home);
  cuMemPoolGetAttribute(pool.handle, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
  p.check(used == 0, "all is freed");
  cuMemPoolTrimTo(pool.handle, 0);
  p.move(pool.state, Via::trimmed);
  destroy(p, pool);
}

static void access(Program& p) {
  Pool pool = make_pool(p);
  CUmemLocation here{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  CUmemAccessDesc wish{.location = here, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (!p.keep(Rule::access_is_given_to_a_device)) wish.location.id = 99;
  cuMemPoolSetAccess(pool.handle, &wish, 1);
  CUmemAccess_flags found{};
  cuMemPoolGetAccess(&found, pool.handle, &here);
  destroy(p, pool);
}

/// Host memory from a pool that is current for a while.
static void host_pool(Program& p) {
  const std::size_t home = p.any_home();
  CUmemLocation host{.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
  constexpr auto kPinned = CU_MEM_ALLOCATION_TYPE_PINNED;
  CUmemPoolProps wanted = properties();
  wanted.location = host;
  Pool pool;
  cuMemPoolCreate(&pool.handle, &wanted);
  p.move(pool.state, Via::created);
  CUmemoryPool standard = nullptr;
  cuMemGetDefaultMemPool(&standard, &host, kPinned);
  cuMemSetMemPool(&host, kPinned, pool.handle);
  CUmemoryPool current = nullptr;
  cuMemGetMemPool(&current, &host, kPinned);
  p.check(current == pool.handle && current != standard, "the current pool of the host");
  CUdeviceptr address = allocate_from(p, pool, home);
  p.set(home, address);
  free_in(p, pool, address, home);
  destroy(p, pool);
}

static void limited_pool(Program& p) {
  CUmemPoolProps wanted = properties();
  wanted.maxSize = std::size_t{64} << 20;
  Pool pool;
  cuMemPoolCreate(&pool.handle, &wanted);
  p.move(pool.state, Via::created);
  const bool fits = p.keep(Rule::allocations_fit_the_pool);
  CUdeviceptr address = allocate_from(p, pool, 0, fits ? kBytes : std::size_t{1} << 30);
  free_in(p, pool, address, 0);
  destroy(p, pool);
}

Steps pool_steps() {
  static constexpr Program::Step kSteps[] = {
      hand_memory_on, free_by_the_host, free_once, use_before_the_free, own_pool,  current_pool,
      default_pool,   attributes,       access,    limited_pool,        host_pool,
  };
  return kSteps;
}

}  // namespace harness::testing::sound
