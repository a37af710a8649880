// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces (the handles of textures and surfaces are numbers), and copies that
// may have an array on either side.
#include "harness/devices/gpu/calls.h"

namespace harness::devices::gpu_calls {

namespace {

// ---- lifetimes --------------------------------------------------------------------------------

/// Calls `kFunction`, which creates the handle that its first argument points at. Unlike the one in
/// calls.cpp, it accepts handles that are numbers.
template <auto kFunction, Kind kKind, class Handle, class... Arguments>
CUresult make(Handle* handle, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = (gpu.driver().*kFunction)(handle, arguments...);
  if (status == CUDA_SUCCESS) gpu.born(kKind, (const void*)*handle);
  return status;
}

/// Checks that the array or memory of a texture or surface exists. The driver checks the extents.
CUresult check_resource(GpuDevice& gpu, const CUDA_RESOURCE_DESC* resource) {
  if (resource == nullptr) return CUDA_SUCCESS;
  if (resource->resType == CU_RESOURCE_TYPE_ARRAY) return check(gpu, resource->res.array.hArray);
  if (resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
    return check(gpu, resource->res.mipmap.hMipmappedArray);
  if (resource->resType == CU_RESOURCE_TYPE_LINEAR)
    return gpu.check(resource->res.linear.devPtr, 1);
  if (resource->resType == CU_RESOURCE_TYPE_PITCH2D)
    return gpu.check(resource->res.pitch2D.devPtr, 1);
  return CUDA_SUCCESS;
}

CUresult get_level(CUarray* level, CUmipmappedArray array, unsigned index) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = pass<&DriverTable::cuMipmappedArrayGetLevel>(level, array, index);
  if (status == CUDA_SUCCESS && !gpu.lives(*level)) gpu.born_in(array, Kind::array, *level);
  return status;
}

CUresult create_texture(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                        const CUDA_TEXTURE_DESC* sampling, const CUDA_RESOURCE_VIEW_DESC* view) {
  const CUresult error = check_resource(GpuDevice::current(), resource);
  return error != CUDA_SUCCESS ? error
                               : make<&DriverTable::cuTexObjectCreate, Kind::texture>(
                                     texture, resource, sampling, view);
}

CUresult create_surface(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource) {
  const CUresult error = check_resource(GpuDevice::current(), resource);
  return error != CUDA_SUCCESS
             ? error
             : make<&DriverTable::cuSurfObjectCreate, Kind::surface>(surface, resource);
}

/// Queries a texture or a surface after checking that it exists.
template <auto kFunction, Kind kKind, class Answer>
CUresult ask(Answer* answer, unsigned long long handle) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult error = gpu.check(kKind, (const void*)handle);
  return error != CUDA_SUCCESS ? error : (gpu.driver().*kFunction)(answer, handle);
}

// ---- copies -----------------------------------------------------------------------------------

/// Checks both sides of a copy of rows: an array, or the first byte of device memory.
template <class Copy>
CUresult check_sides(GpuDevice& gpu, const Copy* copy) {
  if (copy == nullptr) return CUDA_SUCCESS;
  CUresult error = CUDA_SUCCESS;
  if (copy->srcMemoryType == CU_MEMORYTYPE_ARRAY) error = check(gpu, copy->srcArray);
  if (copy->srcMemoryType == CU_MEMORYTYPE_DEVICE) error = gpu.check(copy->srcDevice, 1);
  if (error != CUDA_SUCCESS) return error;
  if (copy->dstMemoryType == CU_MEMORYTYPE_ARRAY) error = check(gpu, copy->dstArray);
  if (copy->dstMemoryType == CU_MEMORYTYPE_DEVICE) error = gpu.check(copy->dstDevice, 1);
  return error;
}

template <auto kFunction, class Copy, class... Stream>
CUresult copy_rows(const Copy* copy, Stream... stream) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = check_sides(gpu, copy);
  ((error = error != CUDA_SUCCESS ? error : check(gpu, stream)), ...);
  return error != CUDA_SUCCESS ? error : (gpu.driver().*kFunction)(copy, stream...);
}

/// Checks the device memory on the other side of a copy of one row.
template <auto kFunction>
CUresult copy_from_array(CUdeviceptr target, CUarray source, std::size_t offset,
                         std::size_t bytes) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult error = gpu.check(target, bytes);
  return error != CUDA_SUCCESS ? error : pass<kFunction>(target, source, offset, bytes);
}

template <auto kFunction>
CUresult copy_to_array(CUarray target, std::size_t offset, CUdeviceptr source, std::size_t bytes) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult error = gpu.check(source, bytes);
  return error != CUDA_SUCCESS ? error : pass<kFunction>(target, offset, source, bytes);
}

}  // namespace

#define OWN(name, ...) table.name = __VA_ARGS__

void add_arrays(DriverTable& table) {
  using T = DriverTable;
  OWN(cuArrayCreate_v2, make<&T::cuArrayCreate_v2, Kind::array>);
  OWN(cuArray3DCreate_v2, make<&T::cuArray3DCreate_v2, Kind::array>);
  OWN(cuArrayDestroy, destroy<&T::cuArrayDestroy, Kind::array>);
  OWN(cuMipmappedArrayCreate, make<&T::cuMipmappedArrayCreate, Kind::mipmapped_array>);
  OWN(cuMipmappedArrayDestroy, destroy<&T::cuMipmappedArrayDestroy, Kind::mipmapped_array>);
  OWN(cuMipmappedArrayGetLevel, get_level);
  OWN(cuTexObjectCreate, create_texture);
  OWN(cuTexObjectDestroy, destroy<&T::cuTexObjectDestroy, Kind::texture>);
  OWN(cuTexObjectGetResourceDesc, ask<&T::cuTexObjectGetResourceDesc, Kind::texture>);
  OWN(cuTexObjectGetTextureDesc, ask<&T::cuTexObjectGetTextureDesc, Kind::texture>);
  OWN(cuTexObjectGetResourceViewDesc, ask<&T::cuTexObjectGetResourceViewDesc, Kind::texture>);
  OWN(cuSurfObjectCreate, create_surface);
  OWN(cuSurfObjectDestroy, destroy<&T::cuSurfObjectDestroy, Kind::surface>);
  OWN(cuSurfObjectGetResourceDesc, ask<&T::cuSurfObjectGetResourceDesc, Kind::surface>);
  OWN(cuMemcpyAtoD_v2, copy_from_array<&T::cuMemcpyAtoD_v2>);
  OWN(cuMemcpyAtoD_v2_ptds, copy_from_array<&T::cuMemcpyAtoD_v2_ptds>);
  OWN(cuMemcpyDtoA_v2, copy_to_array<&T::cuMemcpyDtoA_v2>);
  OWN(cuMemcpyDtoA_v2_ptds, copy_to_array<&T::cuMemcpyDtoA_v2_ptds>);
  OWN(cuMemcpy2D_v2, copy_rows<&T::cuMemcpy2D_v2>);
  OWN(cuMemcpy2D_v2_ptds, copy_rows<&T::cuMemcpy2D_v2_ptds>);
  OWN(cuMemcpy2DUnaligned_v2, copy_rows<&T::cuMemcpy2DUnaligned_v2>);
  OWN(cuMemcpy2DUnaligned_v2_ptds, copy_rows<&T::cuMemcpy2DUnaligned_v2_ptds>);
  OWN(cuMemcpy2DAsync_v2, copy_rows<&T::cuMemcpy2DAsync_v2>);
  OWN(cuMemcpy3D_v2, copy_rows<&T::cuMemcpy3D_v2>);
  OWN(cuMemcpy3D_v2_ptds, copy_rows<&T::cuMemcpy3D_v2_ptds>);
  OWN(cuMemcpy3DAsync_v2, copy_rows<&T::cuMemcpy3DAsync_v2>);
}
#undef OWN

}  // namespace harness::devices::gpu_calls
