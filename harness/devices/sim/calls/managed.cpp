// SPDX-License-Identifier: Apache-2.0
// Managed memory: advice and prefetching. The location of the memory has no effect here, so that a
// program only sees which calls are invalid.
#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

/// Checks a location. The host has only one NUMA node.
static CUresult check_location(const CUmemLocation& location) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      return location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Finds managed memory that exists and holds the whole range. Pageable memory is refused, because
/// the device's attributes say that it cannot access it.
static CUresult find_managed(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                             Place& place) {
  const std::uint32_t index = sim.memory().newest(address);
  const Block& block = sim.memory().block(index);
  if (index == 0 || bytes == 0 || !block.holds(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = find_place(sim, address, bytes, false, place); error != CUDA_SUCCESS)
    return error;
  return HostMemory::is_managed(block) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult Calls::cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                                      unsigned flags, CUstream on) {
  const Found<Stream> stream = find_uncaptured_stream(sim, on);
  if (!stream) return stream.error();
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_location(location); error != CUDA_SUCCESS) return error;
  Place place;
  if (const CUresult error = find_managed(sim, address, bytes, place); error != CUDA_SUCCESS)
    return error;
  Work& work = sim.queues().fresh(WorkKind::prefetch, "prefetch");
  work.target = place;
  work.bytes = bytes;
  sim.queues().submit(*stream, work, Lag::ask);
  return sim.faults().broken();
}

/// Some kinds of advice ignore the location, some need the host or a device, and some accept a NUMA
/// node too. An unknown device is an invalid value, as on an H200; cuda.h lists both errors.
static CUresult check_advice(CUmem_advise advice, const CUmemLocation& location) {
  const CUresult known =
      check_location(location) == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      return CUDA_SUCCESS;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
      return known;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
      return location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
                     location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
                 ? CUDA_ERROR_INVALID_VALUE
                 : known;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult Calls::cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                               CUmemLocation location) {
  if (const CUresult error = check_advice(advice, location); error != CUDA_SUCCESS) return error;
  Place place;
  return find_managed(sim, address, bytes, place);
}

}  // namespace harness::devices::calls
