// SPDX-License-Identifier: Apache-2.0
// Memory that is allocated and freed immediately, and queries about it. Stream-ordered memory is in
// pool.cpp.
#include <array>
#include <cstring>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/memory/parts.h"

namespace harness::devices::calls {

void free_now(SimDevice& sim, std::uint32_t index) {
  const bool is_kept = Intervention::current() != nullptr && sim.pools().is_kept(index);
  if (sim.data_races().on() && !is_kept) [[likely]] {
    const OrderedUse by{{}, sim.data_races().caller(), sim.scheduler().site()};
    sim.data_races().freed(index, by);
  }
  sim.memory().block(index).freed_at = {};
  sim.pools().give_back(index);
  sim.pools().release(index);
}

// ---- allocation -------------------------------------------------------------------------------

static constexpr std::size_t kLookBack = 64;

/// Returns whether an allocation of this origin may reuse the block's storage.
static bool may_have(SimDevice& sim, const Block& block, Origin origin) {
  return block.dead && block.origin == origin && block.process == sim.scheduler().process();
}

/// Chooses the block to be reused as a whole. Returns its index in the list of freed blocks; the
/// default is -1, which means none.
static std::ptrdiff_t pick_freed(SimDevice& sim, Origin origin, std::uint64_t bytes) {
  constexpr std::size_t kOfferLimit = 4;
  std::array<std::uint32_t, kOfferLimit + 1> names{0};
  std::array<std::ptrdiff_t, kOfferLimit + 1> places{-1};
  std::uint32_t count = 1;
  const std::vector<std::uint32_t>& freed = sim.pools().freed();
  for (std::size_t i = freed.size(), end = i - std::min(i, kLookBack);
       i-- > end && count <= kOfferLimit;) {
    const Block& block = sim.memory().block(freed[i]);
    if (!may_have(sim, block, origin) || block.granules * Memory::kGranule < bytes ||
        !storage_is_free(sim.memory(), freed[i]))
      continue;
    names[count] = static_cast<std::uint32_t>(sim.ledger().life(block.birth).name) | 1;
    places[count++] = static_cast<std::ptrdiff_t>(i);
  }
  return places[sim.world().picker.pick_value(Site::reuse, {names.data(), count})];
}

/// Chooses an address in parts of freed blocks; the default is 0, which means none. Arrays reuse
/// only whole blocks, because a program does not know their addresses.
static std::uint64_t pick_parts(SimDevice& sim, Origin origin, std::uint64_t bytes) {
  if (origin == Origin::array) return 0;
  std::array<std::uint32_t, kLookBack> usable{};
  std::size_t count = 0;
  const std::vector<std::uint32_t>& freed = sim.pools().freed();
  for (std::size_t i = freed.size(), end = i - std::min(i, kLookBack); i-- > end;)
    if (may_have(sim, sim.memory().block(freed[i]), origin)) usable[count++] = freed[i];
  return sim.pools().partial_reuse().pick({usable.data(), count}, bytes);
}

/// Fresh storage is the default; reusing storage of freed blocks is a choice.
std::uint32_t give_out(SimDevice& sim, Origin origin, std::uint64_t bytes) {
  std::vector<std::uint32_t>& freed = sim.pools().freed();
  std::uint32_t index = 0;
  if (const std::ptrdiff_t place = pick_freed(sim, origin, bytes); place >= 0) {
    const std::uint32_t old = freed[static_cast<std::size_t>(place)];
    freed.erase(freed.begin() + place);
    index = sim.memory().recycle(sim.memory().block(old).base, origin, bytes);
  } else if (const std::uint64_t base = pick_parts(sim, origin, bytes); base != 0) {
    index = sim.memory().recycle(base, origin, bytes);
    sim.pools().drop_used_up(freed);
  } else {
    return sim.memory().allocate(origin, bytes);
  }
  sim.memory().install(index);
  return index;
}

static CUresult allocate_into(SimDevice& sim, std::uint64_t* address, Origin origin,
                              std::uint64_t bytes) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = give_out(sim, origin, bytes);
  if (index == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  Block& block = sim.memory().block(index);
  block.context = sim.threads().context();
  if (HostMemory::is_visible(block)) sim.host_memory().add(index);
  *address = block.base;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  std::uint64_t found = 0;
  const CUresult status =
      allocate_into(sim, address != nullptr ? &found : nullptr, Origin::device, bytes);
  if (status == CUDA_SUCCESS) *address = found;
  return status;
}

/// Each row has the alignment of textures: the pitch is a multiple of it.
CUresult Calls::cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t row_bytes,
                                   size_t height, unsigned element_bytes) {
  const auto alignment =
      static_cast<std::uint64_t>(attribute_value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
  if (pitch == nullptr || row_bytes == 0 || height == 0 ||
      (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
    return CUDA_ERROR_INVALID_VALUE;
  if (row_bytes > Memory::kBytes || height > Memory::kBytes) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::uint64_t row = (row_bytes + alignment - 1) / alignment * alignment;
  if (height > Memory::kBytes / row) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult status = cuMemAlloc_v2(address, row * height);
  if (status == CUDA_SUCCESS) *pitch = row;
  return status;
}

CUresult Calls::cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t found = 0;
  const CUresult status =
      allocate_into(sim, address != nullptr ? &found : nullptr, Origin::managed, bytes);
  if (status == CUDA_SUCCESS) *address = found;
  return status;
}

/// An allocation of zero bytes succeeds and returns null.
CUresult Calls::cuMemAllocHost_v2(void** address, size_t bytes) {
  std::uint64_t found = 0;
  if (address != nullptr && bytes == 0) {
    *address = nullptr;
    return CUDA_SUCCESS;
  }
  const CUresult status =
      allocate_into(sim, address != nullptr ? &found : nullptr, Origin::pinned, bytes);
  if (status == CUDA_SUCCESS) *address = reinterpret_cast<void*>(found);
  return status;
}

CUresult Calls::cuMemHostAlloc(void** address, size_t bytes, unsigned flags) {
  constexpr unsigned kFlags =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if ((flags & ~kFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = cuMemAllocHost_v2(address, bytes);
  if (status == CUDA_SUCCESS && bytes != 0)
    sim.memory().block(sim.memory().newest(reinterpret_cast<std::uint64_t>(*address))).host_flags =
        flags;
  return status;
}

/// Finds memory of cuMemHostAlloc or cuMemAllocHost; 0 if it is neither. A use of freed memory is
/// reported.
static std::uint32_t find_pinned(SimDevice& sim, const void* host) {
  const auto address = reinterpret_cast<std::uint64_t>(host);
  const std::uint32_t index = sim.memory().newest(address);
  const Block& block = sim.memory().block(index);
  if (index == 0 || block.origin != Origin::pinned || !block.holds(address, 1) ||
      block.process != sim.scheduler().process())
    return 0;
  if (!block.dead) return index;
  sim.faults().used_dead(block.birth);
  return 0;
}

CUresult Calls::cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* host, unsigned flags) {
  if (address == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto number = reinterpret_cast<std::uint64_t>(host);
  if (sim.memory().registered(number, 1) == 0 && find_pinned(sim, host) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(host);  // The host and the device use the same
                                                   // addresses.
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemHostGetFlags(unsigned* flags, void* host) {
  const std::uint32_t index = flags != nullptr ? find_pinned(sim, host) : 0;
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  *flags = sim.memory().block(index).host_flags;
  return CUDA_SUCCESS;
}

// ---- registered host memory -------------------------------------------------------------------

/// Refuses a range that is not host memory, or is already registered or pinned.
static CUresult check_host_range(SimDevice& sim, std::uint64_t address, std::uint64_t bytes) {
  if (address == 0 || bytes == 0 || address > ~std::uint64_t{0} - bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const AddressRange device = sim.memory().range();
  if (address < device.high && device.low < address + bytes) {
    const Block& block = sim.memory().block(sim.memory().newest(address));
    return !block.dead && HostMemory::is_visible(block) ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                                                        : CUDA_ERROR_INVALID_VALUE;
  }
  if (sim.memory().registered(address, bytes) != 0)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  return is_mapped(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult Calls::cuMemHostRegister_v2(void* host, size_t bytes, unsigned flags) {
  constexpr unsigned kFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                              CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  const auto address = reinterpret_cast<std::uint64_t>(host);
  if ((flags & ~kFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_host_range(sim, address, bytes); error != CUDA_SUCCESS)
    return error;
  if ((flags & CU_MEMHOSTREGISTER_READ_ONLY) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  Block& block = sim.memory().block(sim.host_memory().enter(address, bytes));
  block.context = sim.threads().context();
  block.host_flags = flags;
  block.lent = sim.host_memory().lent().lend(LentFor::registered, address, bytes);
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemHostUnregister(void* host) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (host == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto address = reinterpret_cast<std::uint64_t>(host);
  const std::uint32_t index = sim.memory().registered(address, 1);
  if (index == 0 || sim.memory().block(index).process != sim.scheduler().process())
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (sim.memory().block(index).base != address) return CUDA_ERROR_INVALID_VALUE;
  may_wait(sim, *sim.memory().block(index).context);
  // It may have been unregistered during the wait.
  if (sim.memory().block(index).dead) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (sim.data_races().on())
    sim.data_races().freed(index, {{}, sim.data_races().caller(), sim.scheduler().site()});
  sim.host_memory().lent().give_back(sim.memory().block(index).lent);
  sim.memory().retire(index);
  return CUDA_SUCCESS;
}

// ---- frees ------------------------------------------------------------------------------------

void may_wait(SimDevice& sim, Context& context) {
  if (sim.processes().leeway().is_given() && !sim.queues().knows_done(context) &&
      sim.processes().leeway().pick("wait of a free", 2) != 0)
    return;
  sim.queues().synchronize(context);
}

static CUresult free_synchronously(SimDevice& sim, std::uint64_t address, bool host) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  const std::uint32_t index = find_freeable(sim, address);
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  Block& block = sim.memory().block(index);
  if ((block.origin == Origin::pinned) != host) {
    sim.faults().misuse(kDeviceMemory, "freed by the wrong function", block.birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  block.freed = true;  // Set first: we may have to wait, and no other task may free it.
  if (!block.installed)
    sim.faults().misuse(kDeviceMemory, "freed before its stream reached the allocation",
                        block.birth);
  const StreamPoint given_at = block.given_at;
  if (block.context != nullptr) may_wait(sim, *block.context);
  sim.queues().wait(given_at);
  free_now(sim, index);
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemFree_v2(CUdeviceptr address) {
  return free_synchronously(sim, address, false);
}

CUresult Calls::cuMemFreeHost(void* address) {
  return free_synchronously(sim, reinterpret_cast<std::uint64_t>(address), true);
}

// ---- queries ----------------------------------------------------------------------------------

CUresult Calls::cuMemGetInfo_v2(size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *total = Memory::kBytes;
  *free = Memory::kBytes - sim.memory().used_bytes();
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  const Block& block = sim.memory().block(sim.memory().newest(address));
  if (block.dead || !block.holds(address, 1) || block.process != sim.scheduler().process())
    return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = block.base;
  if (bytes != nullptr) *bytes = block.bytes;
  return CUDA_SUCCESS;
}

/// Returns the block, or index 0 for memory unknown to the driver, which is not an error.
static std::uint32_t find_to_query(SimDevice& sim, std::uint64_t address) {
  const std::uint32_t index = sim.memory().newest(address);
  const Block& block = sim.memory().block(index);
  if (index == 0 || !block.holds(address, 1) || block.process != sim.scheduler().process())
    return 0;
  if (block.freed && block.pool != nullptr && !block.dead)
    sim.faults().misuse(kDeviceMemory, "queried after cuMemFreeAsync", block.birth);
  return block.dead ? 0 : index;
}

template <class T>
static CUresult answer(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
  return CUDA_SUCCESS;
}

/// The range of a block. For a mapping, it is the range of the reservation that holds it.
struct Extent {
  std::uint64_t base;
  std::uint64_t bytes;
};

static Extent extent_of(SimDevice& sim, const Block& block) {
  const Reservation* reserved =
      block.origin == Origin::mapped ? sim.memory().reservations().find(block.base) : nullptr;
  return reserved != nullptr ? Extent{reserved->base, reserved->bytes}
                             : Extent{block.base, block.bytes};
}

static CUresult answer_of(SimDevice& sim, const Block& block, void* data,
                          CUpointer_attribute attribute, CUdeviceptr address) {
  const bool host = HostMemory::is_visible(block);
  const Extent range = extent_of(sim, block);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return answer(data, block.context != nullptr ? block.context->as<CUcontext>() : nullptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer<unsigned>(
          data, HostMemory::is_pinned(block) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return answer<CUdeviceptr>(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return host ? answer<CUdeviceptr>(data, address) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer<unsigned long long>(data, raw(block.birth));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer<bool>(data, HostMemory::is_managed(block));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return answer<CUdeviceptr>(data, range.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return answer<std::size_t>(data, range.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return answer<bool>(data, true);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return answer<bool>(data, block.origin == Origin::device);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return answer(data, block.pool != nullptr ? block.pool->as<CUmemoryPool>() : nullptr);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

static bool is_known(CUpointer_attribute attribute) {
  return attribute >= CU_POINTER_ATTRIBUTE_CONTEXT &&
         attribute <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
}

CUresult Calls::cuPointerGetAttribute(void* data, CUpointer_attribute attribute,
                                      CUdeviceptr address) {
  if (data == nullptr || !is_known(attribute)) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = find_to_query(sim, address);
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  return answer_of(sim, sim.memory().block(index), data, attribute, address);
}

/// Returns the size of a value. cuPointerGetAttributes() sets a value to zero if the memory is
/// unknown to the driver, or the attribute does not apply.
static std::size_t attribute_bytes(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return sizeof(int);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return sizeof(bool);
    default:
      return sizeof(void*);
  }
}

/// Returns whether a driver leaves the attribute's value unchanged if there is no allocation.
static bool is_of_a_range(CUpointer_attribute attribute) {
  return attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
         attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
}

CUresult Calls::cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                       CUdeviceptr address) {
  if (count == 0 || attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = find_to_query(sim, address);
  for (unsigned i = 0; i < count; ++i) {
    if (data[i] == nullptr || !is_known(attributes[i])) return CUDA_ERROR_INVALID_VALUE;
    if (index == 0 && is_of_a_range(attributes[i])) continue;
    std::memset(data[i], 0, attribute_bytes(attributes[i]));
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
      answer<int>(data[i], CU_DEVICE_INVALID);
    if (index == 0) continue;
    const CUresult status =
        answer_of(sim, sim.memory().block(index), data[i], attributes[i], address);
    if (status == CUDA_ERROR_NOT_SUPPORTED) return status;
  }
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
