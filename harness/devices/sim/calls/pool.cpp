// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory: giving it out and taking it back.
//
// A freed block may be given out again before the stream has reached the free: always to the same
// stream, to another one if the work there comes after the free by an event or the legacy stream,
// if the free is done, or if a dependency may be put in. Whether it is, is a pick; plain is fresh
// storage.
#include <algorithm>
#include <array>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"
#include "harness/devices/sim/memory/parts.h"

namespace harness::devices::calls {

static constexpr std::size_t kOfferLimit = 4;
static constexpr std::size_t kLookBack = 64;

// ---- reuse ------------------------------------------------------------------------------------

enum class Reuse : std::uint8_t {
  no,
  yes,
  after_free,  ///< With a dependency on the free.
};

/// Returns whether the stream may be given the block. Memory that the host saw freed may always be
/// reused, and so may memory that the same stream freed.
static Reuse may_reuse(SimDevice& sim, const Pool& pool, const Block& block, const Stream& stream) {
  const StreamPoint& freed = block.freed_at;
  if (freed.stream == nullptr || freed.stream == &stream) return Reuse::yes;
  if (sim.data_races().host().includes(block.freed_order)) return Reuse::yes;
  if (pool.follow_events && stream.clock.includes(block.freed_order)) return Reuse::yes;
  if (block.dead) return pool.opportunistic ? Reuse::yes : Reuse::no;
  return pool.internal_dependencies ? Reuse::after_free : Reuse::no;
}

/// Picks which of the pool's freed blocks to give out again, as an index into pool.freed; -1 for
/// none (plain).
static std::ptrdiff_t pick_freed(SimDevice& sim, const Pool& pool, const Stream& stream,
                                 std::uint64_t bytes) {
  std::array<std::uint32_t, kOfferLimit + 1> names{0};
  std::array<std::ptrdiff_t, kOfferLimit + 1> places{-1};
  std::uint32_t count = 1;
  const std::size_t end = pool.freed.size() - std::min(pool.freed.size(), kLookBack);
  for (std::size_t i = pool.freed.size(); i-- > end && count <= kOfferLimit;) {
    const Block& block = sim.memory().block(pool.freed[i]);
    if (block.granules * Memory::kGranule < bytes ||
        !storage_is_free(sim.memory(), pool.freed[i]) ||
        may_reuse(sim, pool, block, stream) == Reuse::no)
      continue;
    names[count] = static_cast<std::uint32_t>(sim.ledger().life(block.birth).name) | 1;
    places[count++] = static_cast<std::ptrdiff_t>(i);
  }
  return places[sim.world().picker.pick_value(Site::reuse, {names.data(), count})];
}

/// Picks where the memory begins in parts of the pool's freed blocks; 0 for nowhere (plain).
static std::uint64_t pick_parts(SimDevice& sim, const Pool& pool, const Stream& stream,
                                std::uint64_t bytes) {
  std::array<std::uint32_t, kLookBack> usable{};
  std::size_t count = 0;
  const std::size_t end = pool.freed.size() - std::min(pool.freed.size(), kLookBack);
  for (std::size_t i = pool.freed.size(); i-- > end;)
    if (may_reuse(sim, pool, sim.memory().block(pool.freed[i]), stream) != Reuse::no)
      usable[count++] = pool.freed[i];
  return sim.pools().partial_reuse().pick({usable.data(), count}, bytes);
}

/// The frees that the stream has to wait for before it may have the storage.
using Frees = std::vector<StreamPoint>;

static void add_free(SimDevice& sim, const Pool& pool, const Stream& stream, std::uint32_t freed,
                     Frees& frees) {
  const Block& block = sim.memory().block(freed);
  if (may_reuse(sim, pool, block, stream) == Reuse::after_free) frees.push_back(block.freed_at);
}

/// Has the new life count on the device once the stream gets there.
static void install_later(SimDevice& sim, Stream& stream, std::uint32_t index, const Frees& frees) {
  Work& work = sim.queues().fresh(WorkKind::install, "allocation");
  work.block = index;
  work.after.insert(work.after.end(), frees.begin(), frees.end());
  const StreamPoint given_at = sim.queues().submit(stream, work, Lag::never);
  sim.memory().block(index).given_at = given_at;
}

/// Gives out freed storage again: a whole block, or parts. Returns 0 for neither (plain).
static std::uint32_t reuse(SimDevice& sim, Pool& pool, Stream& stream, std::uint64_t bytes) {
  Frees frees;
  std::uint32_t index = 0;
  if (const std::ptrdiff_t place = pick_freed(sim, pool, stream, bytes); place >= 0) {
    const std::uint32_t old = pool.freed[static_cast<std::size_t>(place)];
    pool.freed.erase(pool.freed.begin() + place);
    add_free(sim, pool, stream, old, frees);
    index = sim.memory().recycle(sim.memory().block(old).base, Origin::pool, bytes);
  } else if (const std::uint64_t base = pick_parts(sim, pool, stream, bytes); base != 0) {
    visit_parts(sim.memory(), base, base + storage_bytes(bytes),
                [&](std::uint32_t old) { return add_free(sim, pool, stream, old, frees), true; });
    index = sim.memory().recycle(base, Origin::pool, bytes);
    sim.pools().drop_used_up(pool.freed);
  } else {
    return 0;
  }
  install_later(sim, stream, index, frees);
  return index;
}

/// The graph owns the memory; the pool says only if it is.
static CUresult capture_allocation(SimDevice& sim, CUdeviceptr* address, std::uint64_t bytes,
                                   const Pool& pool, Stream& stream) {
  if (const CUresult error = sim.captures().admit_node(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
      error != CUDA_SUCCESS)
    return error;
  if (pool.is_pinned()) return CUDA_ERROR_NOT_SUPPORTED;
  CUDA_MEM_ALLOC_NODE_PARAMS given{};
  given.poolProps.allocType =
      pool.is_managed() ? CU_MEM_ALLOCATION_TYPE_MANAGED : CU_MEM_ALLOCATION_TYPE_PINNED;
  given.poolProps.location = location_of(pool.kind);
  given.poolProps.maxSize = pool.limit;
  given.bytesize = bytes;
  const Found<const NodeParams> made = make_alloc_params(sim, *stream.capture->graph, given);
  if (!made) return made.error();
  const CUresult status = sim.captures().add(stream, *made);
  if (status == CUDA_SUCCESS) *address = given.dptr;
  return status;
}

static CUresult capture_free(SimDevice& sim, CUdeviceptr address, Stream& stream) {
  if (const CUresult error = sim.captures().admit_node(stream, CU_GRAPH_NODE_TYPE_MEM_FREE);
      error != CUDA_SUCCESS)
    return error;
  const Found<const NodeParams> made = make_free_params(sim, *stream.capture->graph, address);
  return made ? sim.captures().add(stream, *made) : made.error();
}

/// Returns where in the default stream new memory is allocated. Nothing need be done for it, and so
/// a driver has it order no blocking stream: `before` is what the stream knew before the call.
static OrderPoint point_of_new(SimDevice& sim, Stream& stream, const Clock& before) {
  stream.clock = before;
  stream.clock.join(sim.data_races().caller());
  return sim.data_races().advance(stream.line, stream.clock);
}

static CUresult allocate(SimDevice& sim, CUdeviceptr* address, std::uint64_t bytes, Pool& pool,
                         Stream& stream) {
  if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (stream.capture != nullptr) return capture_allocation(sim, address, bytes, pool, stream);
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (bytes == 0) {  // Which nothing lives at, and cuMemFreeAsync takes back.
    *address = 0;
    return CUDA_SUCCESS;
  }
  if (pool.limit != 0 && bytes > pool.limit - std::min(pool.limit, pool.used))
    return CUDA_ERROR_OUT_OF_MEMORY;
  const Clock before = stream.legacy ? stream.clock : Clock{};
  sim.queues().catch_up(stream);
  const std::uint32_t reused = reuse(sim, pool, stream, bytes);
  const std::uint32_t index = reused != 0 ? reused : sim.memory().allocate(Origin::pool, bytes);
  if (index == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  Block& block = sim.memory().block(index);
  block.pool = &pool;
  if (HostMemory::is_visible(block)) sim.host_memory().add(index);
  pool.used += block.granules * Memory::kGranule;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved = std::max(pool.reserved, pool.used);
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
  const bool is_new = reused == 0;
  sim.data_races().allocated(index, is_new && stream.legacy ? point_of_new(sim, stream, before)
                                                            : sim.queues().next_point(stream));
  *address = block.base;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream on) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  return allocate(sim, address, bytes, sim.pools().current(), *stream);
}

CUresult Calls::cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool handle,
                                        CUstream on) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  Pool* pool = sim.find(sim.handles().pools, handle, "pool");
  if (pool == nullptr || pool->exported_by != 0) return CUDA_ERROR_INVALID_VALUE;
  return allocate(sim, address, bytes, *pool, *stream);
}

CUresult Calls::cuMemFreeAsync(CUdeviceptr address, CUstream on) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  if (stream->capture != nullptr) return capture_free(sim, address, *stream);
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (address == 0) return CUDA_SUCCESS;  // An allocation of no bytes.
  const std::uint32_t index = find_freeable(sim, address);
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  Block& block = sim.memory().block(index);
  if (block.origin == Origin::pinned) {
    sim.faults().misuse("pinned memory", "freed by the wrong function", block.birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  block.freed_at = {&*stream, stream->submitted + 1};
  sim.pools().give_back(index);
  Work& work = sim.queues().fresh(WorkKind::free, "free");
  work.block = index;
  if (!done(block.given_at)) work.after.push_back(block.given_at);
  sim.queues().submit(*stream, work, Lag::ask);
  sim.memory().block(index).freed_order = {stream->line, stream->clock.of(stream->line)};
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
