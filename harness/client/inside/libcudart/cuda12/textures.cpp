// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces with the descriptions of CUDA 12, which are those of CUDA 13 without
// reserved space.
#include <cstring>

#include "harness/client/inside/libcudart/cuda12/functions.h"

using harness::cudart::Call;
using harness::cudart::cuda12::Resource;
using harness::cudart::cuda12::ResourceView;

namespace {

/// Converts a description to a larger one. Additional fields are 0.
template <class To, class From>
To with_more_room(const From& from) {
  static_assert(sizeof(To) > sizeof from);
  To to;
  std::memset(static_cast<void*>(&to), 0, sizeof to);
  std::memcpy(static_cast<void*>(&to), &from, sizeof from);
  return to;
}

/// Queries a description with a function of CUDA 13.
template <class Found, class To, class Object>
cudaError_t get(To* to, Object object, cudaError_t (*function)(Found*, Object)) {
  if (to == nullptr) return function(nullptr, object);
  Found found;
  const cudaError_t error = function(&found, object);
  if (error == cudaSuccess) std::memcpy(static_cast<void*>(to), &found, sizeof *to);
  return error;
}

}  // namespace

CUDART_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture,
                                               const Resource* resource,
                                               const cudaTextureDesc* sampling,
                                               const ResourceView* view) {
  const Call call("cudaCreateTextureObject");
  if (resource == nullptr)
    return afterlife_cudaCreateTextureObject(texture, nullptr, sampling, nullptr);
  const auto wanted = with_more_room<cudaResourceDesc>(*resource);
  cudaResourceViewDesc as{};
  if (view != nullptr) as = with_more_room<cudaResourceViewDesc>(*view);
  return afterlife_cudaCreateTextureObject(texture, &wanted, sampling,
                                           view != nullptr ? &as : nullptr);
}

CUDART_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                               const Resource* resource) {
  const Call call("cudaCreateSurfaceObject");
  if (resource == nullptr) return afterlife_cudaCreateSurfaceObject(surface, nullptr);
  const auto wanted = with_more_room<cudaResourceDesc>(*resource);
  return afterlife_cudaCreateSurfaceObject(surface, &wanted);
}

CUDART_API cudaError_t cudaGetTextureObjectResourceDesc(Resource* resource,
                                                        cudaTextureObject_t texture) {
  const Call call("cudaGetTextureObjectResourceDesc");
  return get(resource, texture, afterlife_cudaGetTextureObjectResourceDesc);
}

CUDART_API cudaError_t cudaGetTextureObjectResourceViewDesc(ResourceView* view,
                                                            cudaTextureObject_t texture) {
  const Call call("cudaGetTextureObjectResourceViewDesc");
  return get(view, texture, afterlife_cudaGetTextureObjectResourceViewDesc);
}

CUDART_API cudaError_t cudaGetSurfaceObjectResourceDesc(Resource* resource,
                                                        cudaSurfaceObject_t surface) {
  const Call call("cudaGetSurfaceObjectResourceDesc");
  return get(resource, surface, afterlife_cudaGetSurfaceObjectResourceDesc);
}
