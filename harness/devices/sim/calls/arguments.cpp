// SPDX-License-Identifier: Apache-2.0
// Arguments of calls: the streams that handles name, and the memory that addresses name.
#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/regions/calls.h"

namespace harness::devices::calls {

// ---- streams ----------------------------------------------------------------------------------

Found<Stream> find_stream(SimDevice& sim, CUstream handle) {
  if (sim.faults().broken() != CUDA_SUCCESS) [[unlikely]]
    return sim.faults().broken();
  const bool own = handle == CU_STREAM_PER_THREAD;
  if (own || handle == nullptr || handle == CU_STREAM_LEGACY) {
    Context* context = sim.threads().context();
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return own ? sim.threads().stream(*context) : *context->legacy;
  }
  Stream* stream = sim.find(sim.handles().streams, handle, "stream");
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return *stream;
}

Found<Stream> find_work_stream(SimDevice& sim, CUstream handle) {
  Found<Stream> stream = find_stream(sim, handle);
  if (!stream) return stream;
  if (const CUresult error = sim.captures().admit(*stream); error != CUDA_SUCCESS) return error;
  return stream;
}

Found<Stream> find_uncaptured_stream(SimDevice& sim, CUstream handle) {
  Found<Stream> stream = find_stream(sim, handle);
  if (!stream) return stream;
  if (const CUresult error = sim.captures().refuse(*stream); error != CUDA_SUCCESS) return error;
  return stream;
}

// ---- memory -----------------------------------------------------------------------------------

/// Returns whether [address, address + bytes) is mapped without a gap, starting in this block.
static bool is_mapped_on(SimDevice& sim, const Block* block, std::uint64_t address,
                         std::uint64_t bytes) {
  while (block->origin == Origin::mapped && !block->dead) {
    if (block->holds(address, bytes)) return true;
    const std::uint64_t end = block->base + block->bytes;
    bytes -= end - address;
    address = end;
    block = &sim.memory().block(sim.memory().newest(address));
  }
  return false;
}

std::uint32_t find_block(SimDevice& sim, std::uint64_t address, std::uint64_t bytes) {
  const std::uint32_t index = sim.memory().newest(address);
  const Block& block = sim.memory().block(index);
  const bool mine = block.process == sim.scheduler().process();
  if (block.origin == Origin::heap) [[unlikely]] {
    sim.faults().misuse(kDeviceMemory, "a kernel's malloc() gave it, and no call takes it",
                        block.birth);
    return 0;
  }
  if (index != 0 && block.usable() && block.holds(address, bytes) && mine) [[likely]] {
    if (block.origin != Origin::imported || !sim.memory().block(block.exported).dead) [[likely]]
      return sim.memory().regions().empty() || admit_region(sim, address, bytes) ? index : 0;
    if (sim.faults().spared(sim.memory().block(block.exported).birth)) return index;
    sim.faults().used_dead(sim.memory().block(block.exported).birth);
    return 0;
  }
  if (mine && is_mapped_on(sim, &block, address, bytes)) return index;
  if (mine && block.graph == nullptr && block.holds(address, bytes) &&
      sim.faults().spared(block.birth))
    return index;
  if (index != 0 && !mine)
    sim.faults().misuse(kDeviceMemory, "an address of another process", block.birth);
  else if (index != 0 && block.graph != nullptr && block.life == BirthId::none)
    sim.faults().misuse(kDeviceMemory, "used before the graph that allocates it was launched",
                        block.birth);
  else if (index != 0 && !block.usable() && block.holds(address, 1))
    sim.faults().used_dead(block.story());
  else
    sim.faults().misuse(kDeviceMemory,
                        index == 0 ? "no such memory" : "beyond the end of the allocation",
                        block.birth);
  return 0;
}

std::uint32_t find_freeable(SimDevice& sim, std::uint64_t address) {
  const std::uint32_t index = sim.memory().newest(address);
  const Block& block = sim.memory().block(index);
  const bool given_out = (block.origin != Origin::imported || block.pool != nullptr) &&
                         block.origin < Origin::registered;
  if (index != 0 && block.base == address && given_out &&
      block.process == sim.scheduler().process()) {
    if (block.graph != nullptr && block.graph->freed_in == block.graph->graph) {
      sim.faults().misuse(kDeviceMemory, "freed outside the graph that frees it", block.birth);
      return 0;
    }
    if (!block.freed) {
      if (block.is_shared) [[unlikely]]
        sim.processes().sharing().check_free(index);
      else if (block.import_count > 0)
        sim.faults().misuse("exported memory", "freed while it is mapped", block.birth);
      return index;
    }
    sim.ledger().double_free(block.story());
    return 0;
  }
  sim.faults().misuse(kDeviceMemory, "freed, but no allocation starts there");
  return 0;
}

/// Returns whether the host could have that much memory there. A copy of more than the device's
/// total memory is never valid.
static bool can_be_host(std::uint64_t address, std::uint64_t bytes) {
  return address != 0 && bytes <= Memory::kBytes && address <= ~std::uint64_t{0} - bytes;
}

/// Finds the registration of host memory, if there is one; it must cover the whole range.
static CUresult find_host_place(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                                Place& place) {
  if (!can_be_host(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = sim.memory().registered(address, bytes);
  if (index == 0) return CUDA_SUCCESS;
  const Block& block = sim.memory().block(index);
  if (!block.holds(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  place.birth = block.birth;
  return CUDA_SUCCESS;
}

CUresult find_place(SimDevice& sim, std::uint64_t address, std::uint64_t bytes, bool may_be_host,
                    Place& place) {
  place = {address, BirthId::none};
  if (may_be_host && !sim.memory().range().contains(address))
    return find_host_place(sim, address, bytes, place);
  const std::uint32_t index = find_block(sim, address, bytes);
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  place.birth = sim.memory().block(index).birth;
  if (const Regions& regions = sim.memory().regions(); !regions.empty()) [[unlikely]]
    if (const std::uint32_t region = regions.find(address, Regions::kNow); region != 0)
      place.birth = regions.at(region).birth;
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
