// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory: allocating and freeing it.
//
// A freed block may be reused before its stream has reached the free: by the same stream, by
// another stream whose work comes after the free (through an event or the default stream), once the
// free is done, or if the driver may add a dependency. Whether it is reused is a choice; the
// default is fresh storage.
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

/// Returns whether the stream may reuse the block. It may always if the host has seen that the free
/// is done, or if the same stream freed the block.
static Reuse may_reuse(SimDevice& sim, const Pool& pool, const Block& block, const Stream& stream) {
  const StreamPoint& freed = block.freed_at;
  if (freed.stream == nullptr || freed.stream == &stream) return Reuse::yes;
  if (sim.data_races().host().includes(block.freed_order)) return Reuse::yes;
  if (pool.follow_events && stream.clock.includes(block.freed_order)) return Reuse::yes;
  if (block.dead) return pool.opportunistic ? Reuse::yes : Reuse::no;
  return pool.internal_dependencies ? Reuse::after_free : Reuse::no;
}

/// Chooses which of the pool's freed blocks to reuse as a whole. Returns an index into pool.freed;
/// the default is -1, which means none.
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

/// Chooses an address in parts of the pool's freed blocks; the default is 0, which means none.
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

/// The frees that the stream must wait for before it can use the storage.
using Frees = std::vector<StreamPoint>;

static void add_free(SimDevice& sim, const Pool& pool, const Stream& stream, std::uint32_t freed,
                     Frees& frees) {
  const Block& block = sim.memory().block(freed);
  if (may_reuse(sim, pool, block, stream) == Reuse::after_free) frees.push_back(block.freed_at);
}

/// The new allocation becomes valid on the device when the stream reaches it.
static void install_later(SimDevice& sim, Stream& stream, std::uint32_t index, const Frees& frees) {
  Work& work = sim.queues().fresh(WorkKind::install, "allocation");
  work.block = index;
  work.after.insert(work.after.end(), frees.begin(), frees.end());
  const StreamPoint given_at = sim.queues().submit(stream, work, Lag::never);
  sim.memory().block(index).given_at = given_at;
}

/// Reuses freed storage, either a whole block or parts of blocks. The default is 0, which means
/// neither.
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

/// The memory belongs to the graph. The pool only defines its properties.
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

/// Returns the point in the default stream at which new memory is allocated. Fresh storage needs no
/// work, so that a driver does not wait for blocking streams: `before` is the stream's clock before
/// the call.
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
  if (bytes == 0) {  // The address 0 has no memory, and cuMemFreeAsync() accepts it.
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
  if (address == 0) return CUDA_SUCCESS;  // An allocation of zero bytes.
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
