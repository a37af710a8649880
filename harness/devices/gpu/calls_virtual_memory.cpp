// SPDX-License-Identifier: Apache-2.0
// Virtual memory: handles with their reference counts, and mappings, which are used as memory.
#include <vector>

#include "harness/devices/gpu/calls.h"

namespace harness::devices::gpu_calls {

namespace {

using Origin = GpuDevice::Origin;

// The handles of memory are numbers.
const void* as_key(CUmemGenericAllocationHandle handle) {
  return reinterpret_cast<const void*>(handle);
}

void add_reference(GpuDevice& gpu, CUmemGenericAllocationHandle handle) {
  if (gpu.virtual_memory().references[handle]++ == 0) gpu.born(Kind::allocation, as_key(handle));
}

CUresult reserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,
                 unsigned long long flags) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuMemAddressReserve(address, bytes, alignment, hint, flags);
  if (status == CUDA_SUCCESS) gpu.virtual_memory().reservations[*address] = bytes;
  return status;
}

CUresult free_addresses(CUdeviceptr address, std::size_t bytes) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuMemAddressFree(address, bytes);
  if (status == CUDA_SUCCESS) gpu.virtual_memory().reservations.erase(address);
  return status;
}

CUresult create(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                const CUmemAllocationProp* wanted, unsigned long long flags) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuMemCreate(handle, bytes, wanted, flags);
  if (status == CUDA_SUCCESS) add_reference(gpu, *handle);
  return status;
}

CUresult retain(CUmemGenericAllocationHandle* handle, void* address) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuMemRetainAllocationHandle(handle, address);
  if (status == CUDA_SUCCESS) add_reference(gpu, *handle);
  return status;
}

CUresult import_memory(CUmemGenericAllocationHandle* handle, void* from,
                       CUmemAllocationHandleType type) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuMemImportFromShareableHandle(handle, from, type);
  if (status == CUDA_SUCCESS) add_reference(gpu, *handle);
  return status;
}

CUresult release(CUmemGenericAllocationHandle handle) {
  GpuDevice& gpu = GpuDevice::current();
  auto& references = gpu.virtual_memory().references;
  const auto known = references.find(handle);
  if (known != references.end() && --known->second > 0) return gpu.driver().cuMemRelease(handle);
  if (known != references.end()) references.erase(known);
  const CUresult error = gpu.died(Kind::allocation, as_key(handle));
  return error != CUDA_SUCCESS ? error : gpu.driver().cuMemRelease(handle);
}

CUresult get_properties(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult error = gpu.check(Kind::allocation, as_key(handle));
  return error != CUDA_SUCCESS
             ? error
             : gpu.driver().cuMemGetAllocationPropertiesFromHandle(properties, handle);
}

CUresult map(CUdeviceptr address, std::size_t bytes, std::size_t offset,
             CUmemGenericAllocationHandle handle, unsigned long long flags) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult status = gpu.check(Kind::allocation, as_key(handle));
  if (status == CUDA_SUCCESS) status = gpu.driver().cuMemMap(address, bytes, offset, handle, flags);
  if (status != CUDA_SUCCESS) return status;
  gpu.virtual_memory().mappings[address] = bytes;
  gpu.allocated(Origin::mapped, address, bytes);
  return status;
}

CUresult unmap(CUdeviceptr address, std::size_t bytes) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuMemUnmap(address, bytes);
  if (status != CUDA_SUCCESS) return status;
  auto& mappings = gpu.virtual_memory().mappings;
  for (auto it = mappings.lower_bound(address); it != mappings.end() && it->first - address < bytes;
       it = mappings.erase(it))
    gpu.free(it->first, Origin::mapped, [] { return CUDA_SUCCESS; });
  return status;
}

}  // namespace

#define OWN(name, ...) table.name = __VA_ARGS__

void add_virtual_memory(DriverTable& table) {
  OWN(cuMemAddressReserve, reserve);
  OWN(cuMemAddressFree, free_addresses);
  OWN(cuMemCreate, create);
  OWN(cuMemRetainAllocationHandle, retain);
  OWN(cuMemImportFromShareableHandle, import_memory);
  OWN(cuMemRelease, release);
  OWN(cuMemGetAllocationPropertiesFromHandle, get_properties);
  OWN(cuMemMap, map);
  OWN(cuMemUnmap, unmap);
}
#undef OWN

}  // namespace harness::devices::gpu_calls
