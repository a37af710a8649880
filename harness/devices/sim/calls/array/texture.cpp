// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces: created from a resource, queried and destroyed. Kernels use them through
// textures/.
#include <algorithm>

#include "harness/devices/sim/calls/array/copy_shape.h"
#include "harness/devices/sim/textures/texture_unit.h"

namespace harness::devices::calls {

namespace {

std::uint64_t limit(CUdevice_attribute attribute) {
  return static_cast<std::uint64_t>(attribute_value(attribute));
}

// ---- the texels -------------------------------------------------------------------------------

/// Finds device memory, which must have the alignment of textures.
CUresult find_linear(SimDevice& sim, CUdeviceptr address, std::uint64_t bytes, Texels& texels) {
  if (address % limit(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) != 0) return CUDA_ERROR_INVALID_VALUE;
  Place place;
  const CUresult status = find_place(sim, address, bytes, false, place);
  texels.address = address;
  texels.birth = place.birth;
  return status;
}

CUresult find_texels(SimDevice& sim, const decltype(CUDA_RESOURCE_DESC::res.linear)& given,
                     Texels& texels) {
  if (const CUresult error = check_format(given.format, given.numChannels); error != CUDA_SUCCESS)
    return error;
  texels.format = {given.format, given.numChannels};
  texels.width = given.sizeInBytes / texels.format.bytes();
  texels.pitch = texels.slice = texels.row_bytes();
  if (texels.width == 0 || texels.width > limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH))
    return CUDA_ERROR_INVALID_VALUE;
  return find_linear(sim, given.devPtr, texels.row_bytes(), texels);
}

CUresult find_texels(SimDevice& sim, const decltype(CUDA_RESOURCE_DESC::res.pitch2D)& given,
                     Texels& texels) {
  if (const CUresult error = check_format(given.format, given.numChannels); error != CUDA_SUCCESS)
    return error;
  if (given.width == 0 || given.height == 0 ||
      given.width > limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) ||
      given.height > limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT))
    return CUDA_ERROR_INVALID_VALUE;
  texels.format = {given.format, given.numChannels};
  texels.width = given.width;
  texels.height = given.height;
  texels.pitch = given.pitchInBytes;
  if (texels.pitch == 0 || texels.pitch % limit(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) != 0 ||
      texels.pitch > limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH))
    return CUDA_ERROR_INVALID_VALUE;
  texels.slice = texels.pitch * texels.height;
  return find_linear(sim, given.devPtr,
                     extent_bytes(texels.height - 1, texels.pitch, texels.row_bytes()), texels);
}

CUresult find_array(SimDevice& sim, CUarray handle, const Array*& array) {
  array = sim.find(sim.handles().arrays, handle, kArrayKind);
  return array != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// Finds the levels of a mipmapped array. The texture's view may use only some of them.
CUresult find_levels(SimDevice& sim, const CUDA_RESOURCE_DESC& given, Texture& texture) {
  const MipmappedArray* whole = sim.find(sim.handles().mipmapped_arrays,
                                         given.res.mipmap.hMipmappedArray, kMipmappedArrayKind);
  if (whole == nullptr) return CUDA_ERROR_INVALID_VALUE;
  texture.texels = whole->levels.front()->texels;
  for (std::size_t i = 1; i < whole->levels.size(); ++i)
    texture.smaller_levels.push_back(whole->levels[i]->texels);
  return CUDA_SUCCESS;
}

CUresult find_texels(SimDevice& sim, const CUDA_RESOURCE_DESC& given, Texture& texture) {
  Texels& texels = texture.texels;
  if (given.flags != 0) return CUDA_ERROR_INVALID_VALUE;
  switch (given.resType) {
    case CU_RESOURCE_TYPE_ARRAY: {
      const Array* array = nullptr;
      const CUresult status = find_array(sim, given.res.array.hArray, array);
      if (status == CUDA_SUCCESS) texels = array->texels;
      return status;
    }
    case CU_RESOURCE_TYPE_LINEAR:
      return find_texels(sim, given.res.linear, texels);
    case CU_RESOURCE_TYPE_PITCH2D:
      return find_texels(sim, given.res.pitch2D, texels);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      return find_levels(sim, given, texture);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// ---- sampling ---------------------------------------------------------------------------------

bool is_filter(CUfilter_mode mode) {
  return mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR;
}

CUresult check_sampling(const Texture& texture) {
  constexpr unsigned kFlags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                              CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SRGB |
                              CU_TRSF_SEAMLESS_CUBEMAP;
  const CUDA_TEXTURE_DESC& given = texture.sampling;
  for (const CUaddress_mode mode : given.addressMode)
    if (mode < CU_TR_ADDRESS_MODE_WRAP || mode > CU_TR_ADDRESS_MODE_BORDER)
      return CUDA_ERROR_INVALID_VALUE;
  if (!is_filter(given.filterMode) || !is_filter(given.mipmapFilterMode) ||
      (given.flags & ~kFlags) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const bool filters = given.filterMode == CU_TR_FILTER_MODE_LINEAR && !texture.is_linear_memory();
  if (filters && !texture.reads_numbers()) return CUDA_ERROR_INVALID_VALUE;
  if (texture.is_mipmapped() && !texture.has(CU_TRSF_NORMALIZED_COORDINATES))
    return CUDA_ERROR_INVALID_VALUE;
  if (texture.has(CU_TRSF_SEAMLESS_CUBEMAP) && !texture.texels.is_cube)
    return CUDA_ERROR_INVALID_VALUE;
  return texture.has(CU_TRSF_SRGB) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

/// Returns the texel format of a view, which is the resource's if the view specifies none.
TexelFormat format_of(CUresourceViewFormat view, const TexelFormat& own) {
  constexpr CUarray_format kChannels[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                          CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                          CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                          CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
  if (view == CU_RES_VIEW_FORMAT_NONE) return own;
  const auto index = static_cast<unsigned>(view) - CU_RES_VIEW_FORMAT_UINT_1X8;
  return {kChannels[index / 3], 1U << index % 3};
}

/// Restricts the texture to levels `first` to `last`.
void keep_levels(Texture& texture, unsigned first, unsigned last) {
  std::vector<Texels>& smaller = texture.smaller_levels;
  smaller.resize(last);
  if (first == 0) return;
  texture.texels = smaller[first - 1];
  smaller.erase(smaller.begin(), smaller.begin() + first);
}

/// Applies the view's format, and its range of layers, to a level.
void apply_view(const CUDA_RESOURCE_VIEW_DESC& view, const TexelFormat& format, Texels& level) {
  level.format = format;
  if (!level.is_layered) return;
  level.address += view.firstLayer * level.slice;
  level.depth = view.lastLayer - view.firstLayer + 1;
}

/// Applies the view: another format of the same size, and a range of levels and layers. The layers
/// of a cube map must be whole cubes.
CUresult apply_view(Texture& texture) {
  const CUDA_RESOURCE_VIEW_DESC& view = texture.view;
  const Texels& texels = texture.texels;
  const bool is_array = texture.resource.resType == CU_RESOURCE_TYPE_ARRAY;
  if ((!is_array && !texture.is_mipmapped()) || view.format < CU_RES_VIEW_FORMAT_NONE ||
      view.format > CU_RES_VIEW_FORMAT_UNSIGNED_BC7)
    return CUDA_ERROR_INVALID_VALUE;
  if (view.format > CU_RES_VIEW_FORMAT_FLOAT_4X32) return CUDA_ERROR_NOT_SUPPORTED;
  const TexelFormat format = format_of(view.format, texels.format);
  if (format.bytes() != texels.format.bytes() || view.width != texels.width ||
      std::max<std::size_t>(view.height, 1) != texels.height ||
      std::max<std::size_t>(view.depth, 1) != texels.depth ||
      view.firstMipmapLevel > view.lastMipmapLevel ||
      view.lastMipmapLevel > texture.smaller_levels.size() || view.firstLayer > view.lastLayer ||
      view.lastLayer >= texels.layers())
    return CUDA_ERROR_INVALID_VALUE;
  const bool has_whole_cubes = view.firstLayer % 6 == 0 && (view.lastLayer + 1) % 6 == 0;
  if (texels.is_cube && texels.is_layered && !has_whole_cubes) return CUDA_ERROR_INVALID_VALUE;
  keep_levels(texture, view.firstMipmapLevel, view.lastMipmapLevel);
  apply_view(view, format, texture.texels);
  for (Texels& level : texture.smaller_levels) apply_view(view, format, level);
  return CUDA_SUCCESS;
}

}  // namespace

// ---- textures ---------------------------------------------------------------------------------

CUresult Calls::cuTexObjectCreate(CUtexObject* handle, const CUDA_RESOURCE_DESC* resource,
                                  const CUDA_TEXTURE_DESC* sampling,
                                  const CUDA_RESOURCE_VIEW_DESC* view) {
  if (handle == nullptr || resource == nullptr || sampling == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  Texture made;
  made.context = sim.threads().context();
  made.resource = *resource;
  made.sampling = *sampling;
  CUresult status = find_texels(sim, *resource, made);
  if (status == CUDA_SUCCESS && view != nullptr) {
    made.view = *view;
    made.has_view = true;
    status = apply_view(made);
  }
  if (status == CUDA_SUCCESS) status = check_sampling(made);
  if (status != CUDA_SUCCESS) return status;
  Texture& texture = sim.handles().textures.add();
  static_cast<Object&>(made) = texture;  // Keeps the new object's handle.
  texture = made;
  texture.birth = sim.ledger().born(kTextureKind, texture.handle, 0);
  *handle = texture.handle;
  return CUDA_SUCCESS;
}

/// Destroys the object that a handle names.
template <class Table>
static CUresult destroy(SimDevice& sim, const Table& table, std::uint64_t handle) {
  auto* object = table.find(reinterpret_cast<const void*>(handle));
  if (object == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!object->alive) {
    sim.ledger().double_free(object->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  object->alive = false;
  sim.ledger().died(object->birth);
  return CUDA_SUCCESS;
}

static Texture* find_texture(SimDevice& sim, CUtexObject handle) {
  return sim.find(sim.handles().textures, reinterpret_cast<const void*>(handle), kTextureKind);
}

CUresult Calls::cuTexObjectDestroy(CUtexObject handle) {
  return destroy(sim, sim.handles().textures, handle);
}

CUresult Calls::cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUtexObject handle) {
  const Texture* texture = find_texture(sim, handle);
  if (texture == nullptr || resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *resource = texture->resource;
  return CUDA_SUCCESS;
}

CUresult Calls::cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* sampling, CUtexObject handle) {
  const Texture* texture = find_texture(sim, handle);
  if (texture == nullptr || sampling == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *sampling = texture->sampling;
  return CUDA_SUCCESS;
}

CUresult Calls::cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* view, CUtexObject handle) {
  const Texture* texture = find_texture(sim, handle);
  if (texture == nullptr || view == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *view = texture->view;  // All zeros if the texture was created without a view.
  return CUDA_SUCCESS;
}

// ---- surfaces ---------------------------------------------------------------------------------

CUresult Calls::cuSurfObjectCreate(CUsurfObject* handle, const CUDA_RESOURCE_DESC* resource) {
  if (handle == nullptr || resource == nullptr || resource->flags != 0 ||
      resource->resType != CU_RESOURCE_TYPE_ARRAY)
    return CUDA_ERROR_INVALID_VALUE;
  const Array* array = nullptr;
  if (const CUresult error = find_array(sim, resource->res.array.hArray, array);
      error != CUDA_SUCCESS)
    return error;
  Surface& surface = sim.handles().surfaces.add();
  surface.context = sim.threads().context();
  surface.resource = *resource;
  surface.texels = array->texels;
  surface.birth = sim.ledger().born(kSurfaceKind, surface.handle, 0);
  *handle = surface.handle;
  return CUDA_SUCCESS;
}

CUresult Calls::cuSurfObjectDestroy(CUsurfObject handle) {
  return destroy(sim, sim.handles().surfaces, handle);
}

CUresult Calls::cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUsurfObject handle) {
  const Surface* surface =
      sim.find(sim.handles().surfaces, reinterpret_cast<const void*>(handle), kSurfaceKind);
  if (surface == nullptr || resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *resource = surface->resource;
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
