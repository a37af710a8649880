// SPDX-License-Identifier: Apache-2.0
// Virtual memory: reserved addresses, memory, and mappings of memory to addresses. Handles,
// reservations and the device's access to a mapping are recorded as allocations. The last one
// begins when access is granted, and ends when it is revoked or the mapping is removed.
//
// No call in here waits for the device, since it is not documented that it does.
#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/memory/ipc.h"

namespace harness::devices::calls {

namespace {

constexpr std::uint64_t kUnit = Reservations::kGranularity;
constexpr std::uint64_t kHostPage = 4096;

bool is_whole(std::uint64_t value) { return value % kUnit == 0; }

/// Checks the properties of memory. The device supports pinned device memory without special
/// features.
CUresult check_properties(const CUmemAllocationProp* wanted) {
  if (wanted == nullptr || wanted->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      wanted->win32HandleMetaData != nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  switch (wanted->location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      if (wanted->location.id != 0) return CUDA_ERROR_INVALID_DEVICE;
      break;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  const bool plain = (wanted->requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE ||
                      wanted->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) &&
                     wanted->allocFlags.usage == 0;
  return plain ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/// Returns the allocation that `handle` names, or null after reporting the error.
Allocation* find_allocation(SimDevice& sim, CUmemGenericAllocationHandle handle) {
  return sim.find(sim.handles().allocations, reinterpret_cast<const void*>(handle),
                  "memory handle");
}

/// Frees the memory of an allocation that has neither handles nor mappings.
void end_unreachable(SimDevice& sim, Allocation& allocation) {
  if (allocation.reference_count > 0 || allocation.mapping_count > 0) return;
  const Block& block = sim.memory().block(allocation.block);
  if (block.origin == Origin::foreign) return sim.processes().sharing().let_go(allocation.block);
  if (block.is_shared) return;  // Another process, or a file descriptor, may refer to it.
  free_now(sim, allocation.block);
  allocation.block = 0;
}

/// Revokes the device's access to a mapping.
void take_access(SimDevice& sim, Mapping& mapping) {
  if (mapping.block == 0) return;
  if (sim.data_races().on())
    sim.data_races().freed(mapping.block, {{}, sim.data_races().caller(), sim.scheduler().site()});
  sim.memory().retire(mapping.block);
  mapping.block = 0;
}

void give_access(SimDevice& sim, Mapping& mapping) {
  if (mapping.block != 0) return;
  const std::uint32_t physical = mapping.allocation->block;
  mapping.block = sim.memory().map_at(mapping.base, physical, mapping.bytes);
  mapping.life = sim.memory().block(mapping.block).birth;
  if (sim.memory().block(physical).origin == Origin::foreign) return;
  sim.provenance().shadow().alias(mapping.base, sim.memory().block(physical).base, mapping.bytes);
}

/// Returns this process's reservation that holds [address, address + bytes), or null.
const Reservation* find_reservation(SimDevice& sim, std::uint64_t address, std::uint64_t bytes) {
  const Reservation* found = sim.memory().reservations().find(address);
  const bool holds = found != nullptr && found->process == sim.scheduler().process() &&
                     bytes <= found->bytes - (address - found->base);
  return holds ? found : nullptr;
}

}  // namespace

// ---- addresses --------------------------------------------------------------------------------

CUresult Calls::cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment,
                                    CUdeviceptr hint, unsigned long long flags) {
  const bool is_power = (alignment & (alignment - 1)) == 0;
  if (address == nullptr || bytes == 0 || bytes % kHostPage != 0 || hint % kHostPage != 0 ||
      !is_power || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const Reservation* made = sim.memory().reservations().reserve(bytes, alignment);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = made->base;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  const Reservation* found = find_reservation(sim, address, 1);
  if (found == nullptr || found->base != address || found->bytes != bytes ||
      !sim.memory().reservations().is_unmapped(address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  sim.memory().reservations().free(*found);
  return CUDA_SUCCESS;
}

// ---- memory -----------------------------------------------------------------------------------

CUresult Calls::cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* wanted,
                                              CUmemAllocationGranularity_flags option) {
  if (bytes == nullptr || (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
                           option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
    return CUDA_ERROR_INVALID_VALUE;
  if (wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUmemAllocationProp here = *wanted;  // The result does not depend on the type and device.
  here.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  here.location.id = 0;
  if (const CUresult error = check_properties(&here); error != CUDA_SUCCESS) return error;
  *bytes = kUnit;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                            const CUmemAllocationProp* wanted, unsigned long long flags) {
  if (handle == nullptr || bytes == 0 || !is_whole(bytes) || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_properties(wanted); error != CUDA_SUCCESS) return error;
  const std::uint32_t block = sim.memory().allocate(Origin::physical, bytes);
  if (block == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation& made = sim.handles().allocations.add();
  made.properties = *wanted;
  made.block = block;
  made.reference_count = 1;
  made.birth = sim.ledger().born("memory handle", made.handle, 0);
  *handle = made.handle;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemRelease(CUmemGenericAllocationHandle handle) {
  Allocation* known = sim.handles().allocations.find(reinterpret_cast<const void*>(handle));
  if (known != nullptr && !known->alive) {
    sim.ledger().double_free(known->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  Allocation* allocation = find_allocation(sim, handle);
  if (allocation == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (--allocation->reference_count > 0) return CUDA_SUCCESS;
  allocation->alive = false;
  sim.ledger().died(allocation->birth);
  end_unreachable(sim, *allocation);
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  const auto number = reinterpret_cast<std::uint64_t>(address);
  if (handle == nullptr || find_reservation(sim, number, 1) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  const Mapping* mapping = sim.memory().reservations().mapping_at(number);
  if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Allocation& allocation = *mapping->allocation;
  if (allocation.reference_count++ == 0) {  // A handle for this memory exists again.
    allocation.alive = true;
    allocation.birth = sim.ledger().born("memory handle", allocation.handle, 0, allocation.birth);
  }
  *handle = allocation.handle;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                       CUmemGenericAllocationHandle handle) {
  if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Allocation* allocation = find_allocation(sim, handle);
  if (allocation == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *properties = allocation->properties;
  return CUDA_SUCCESS;
}

// ---- memory of other processes ----------------------------------------------------------------

static constexpr std::uint64_t kShareable = hash_name("shareable memory");

CUresult Calls::cuMemExportToShareableHandle(void* handle, CUmemGenericAllocationHandle memory,
                                             CUmemAllocationHandleType type,
                                             unsigned long long flags) {
  if (handle == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const Allocation* allocation = find_allocation(sim, memory);
  if (allocation == nullptr || type == CU_MEM_HANDLE_TYPE_NONE ||
      type != allocation->properties.requestedHandleTypes)
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t block = allocation->block;
  const BirthId birth = sim.memory().block(block).birth;
  const PeerObject known = sim.memory().block(block).origin == Origin::foreign
                               ? sim.processes().sharing().name_of(block)
                               : sim.processes().sharing().offer(block);
  const int file = name_file(known.process != 0 ? name_for_peers(kShareable, known)
                                                : IpcName{kShareable, 0, 0, raw(birth), block});
  if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *static_cast<int*>(handle) = file;
  return CUDA_SUCCESS;
}

/// Returns the allocation of this process that owns a block, or null.
static Allocation* allocation_of(SimDevice& sim, std::uint32_t block) {
  auto& all = sim.handles().allocations;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].block == block && (all[i].reference_count > 0 || all[i].mapping_count > 0))
      return &all[i];
  return nullptr;
}

CUresult Calls::cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* from,
                                               CUmemAllocationHandleType type) {
  if (handle == nullptr || type == CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  const auto file = static_cast<int>(reinterpret_cast<std::intptr_t>(from));
  const IpcName name = name_in_file(file, kShareable);
  if (name.birth == 0 || is_of_another_run(name)) return CUDA_ERROR_INVALID_VALUE;
  const bool is_known = name.process == 0 && name.place < sim.memory().block_count() &&
                        raw(sim.memory().block(name.place).birth) == name.birth;
  const std::uint32_t block =
      is_known ? name.place : sim.processes().sharing().find({name.process, name.birth});
  if (block == 0) return CUDA_ERROR_INVALID_VALUE;
  Allocation* known = allocation_of(sim, block);
  if (known == nullptr) {
    if (sim.memory().block(block).origin != Origin::foreign) return CUDA_ERROR_INVALID_VALUE;
    known = &sim.handles().allocations.add();
    known->properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                         .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                         .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    known->block = block;
  }
  if (known->reference_count++ == 0) {
    known->alive = true;
    known->birth = sim.ledger().born("memory handle", known->handle, 0, known->birth);
  }
  *handle = known->handle;
  return CUDA_SUCCESS;
}

// ---- mappings ---------------------------------------------------------------------------------

CUresult Calls::cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags) {
  if (bytes == 0 || offset != 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Allocation* allocation = find_allocation(sim, handle);
  if (allocation == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (bytes != sim.memory().block(allocation->block).bytes)  // Only whole allocations can be
                                                             // mapped.
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!is_whole(address)) return CUDA_ERROR_INVALID_VALUE;
  Reservations& reservations = sim.memory().reservations();
  if (find_reservation(sim, address, bytes) == nullptr || !reservations.is_unmapped(address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  reservations.add({.base = address, .bytes = bytes, .allocation = allocation});
  ++allocation->mapping_count;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemUnmap(CUdeviceptr address, size_t bytes) {
  Reservations& reservations = sim.memory().reservations();
  if (bytes == 0 || find_reservation(sim, address, bytes) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  if (reservations.is_unmapped(address, bytes)) return CUDA_SUCCESS;  // There is nothing to unmap.
  const std::vector<Mapping*> found = reservations.whole_mappings(address, bytes);
  if (found.empty()) return CUDA_ERROR_INVALID_VALUE;
  for (Mapping* mapping : found) {
    Allocation& allocation = *mapping->allocation;
    take_access(sim, *mapping);
    reservations.remove(mapping->base);
    --allocation.mapping_count;
    end_unreachable(sim, allocation);
  }
  return CUDA_SUCCESS;
}

/// Refuses locations other than the device, and kinds of access that it does not support.
static CUresult check_access(const CUmemAccessDesc& wish) {
  if (wish.location.type != CU_MEM_LOCATION_TYPE_DEVICE || wish.location.id != 0)
    return CUDA_ERROR_INVALID_VALUE;
  switch (wish.flags) {
    case CU_MEM_ACCESS_FLAGS_PROT_NONE:
    case CU_MEM_ACCESS_FLAGS_PROT_READWRITE:
      return CUDA_SUCCESS;
    case CU_MEM_ACCESS_FLAGS_PROT_READ:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult Calls::cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* wishes,
                               size_t count) {
  if (bytes == 0 || wishes == nullptr || count == 0 ||
      find_reservation(sim, address, bytes) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  const std::vector<Mapping*> found = sim.memory().reservations().whole_mappings(address, bytes);
  if (found.empty()) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (const CUresult error = check_access(wishes[i]); error != CUDA_SUCCESS) return error;
  const bool given = wishes[count - 1].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (Mapping* mapping : found) given ? give_access(sim, *mapping) : take_access(sim, *mapping);
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                               CUdeviceptr address) {
  if (flags == nullptr || location == nullptr || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
      find_reservation(sim, address, 1) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  if (location->id != 0) return CUDA_ERROR_INVALID_DEVICE;
  const Mapping* mapping = sim.memory().reservations().mapping_at(address);
  if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = mapping->block != 0 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
