// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA 12 that CUDA 13 does not have, or has with a different interface.
//
// After this point, names are those in the source: cuda12/names.h only applies to headers before
// it.
#pragma once

#include "harness/client/inside/libcudart/cuda12/names.h"

#include <cuda_runtime_api.h>

#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/cuda12/structures.h"

#undef cudaGraphAddDependencies
#undef cudaGraphAddNode
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphRemoveDependencies
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaSignalExternalSemaphoresAsync
#undef cudaStreamGetCaptureInfo
#undef cudaStreamUpdateCaptureDependencies
#undef cudaWaitExternalSemaphoresAsync
#undef cudaCreateSurfaceObject
#undef cudaCreateTextureObject
#undef cudaGetDeviceProperties
#undef cudaGetSurfaceObjectResourceDesc
#undef cudaGetTextureObjectResourceDesc
#undef cudaGetTextureObjectResourceViewDesc
#undef cudaMemcpyBatchAsync
#undef cudaMemcpyBatchAsync_ptsz
#undef cudaPointerGetAttributes

#define CUDART_ROW(name, status, twin, group, test)
#define CUDART_FORWARD(name, needs, target, group, test, parameters, ...) \
  CUDART_API cudaError_t name parameters;
#include "harness/client/inside/libcudart/cuda12/interface.def"

CUDART_API cudaError_t cudaGetDeviceProperties(harness::cudart::cuda12::DeviceProperties*, int);
CUDART_API cudaError_t cudaGetDeviceProperties_v2(harness::cudart::cuda12::DeviceProperties*, int);
CUDART_API cudaError_t cudaSetDoubleForDevice(double*);
CUDART_API cudaError_t cudaSetDoubleForHost(double*);
CUDART_API cudaError_t cudaThreadExit();

CUDART_API cudaError_t cudaPointerGetAttributes(harness::cudart::cuda12::PointerAttributes*,
                                                const void*);
CUDART_API cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int);
CUDART_API cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t);
CUDART_API cudaError_t cudaMemPrefetchAsync_ptsz(const void*, size_t, int, cudaStream_t);
CUDART_API cudaError_t cudaMemcpyBatchAsync(void**, void**, size_t*, size_t, cudaMemcpyAttributes*,
                                            size_t*, size_t, size_t*, cudaStream_t);
CUDART_API cudaError_t cudaMemcpyBatchAsync_ptsz(void**, void**, size_t*, size_t,
                                                 cudaMemcpyAttributes*, size_t*, size_t, size_t*,
                                                 cudaStream_t);

CUDART_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus*,
                                                unsigned long long*);
CUDART_API cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t, cudaStreamCaptureStatus*,
                                                     unsigned long long*);
CUDART_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t, cudaStreamCaptureStatus*,
                                                   unsigned long long*, cudaGraph_t*,
                                                   const cudaGraphNode_t**, size_t*);
CUDART_API cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t, cudaStreamCaptureStatus*,
                                                        unsigned long long*, cudaGraph_t*,
                                                        const cudaGraphNode_t**, size_t*);
CUDART_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t*, size_t,
                                                           unsigned);
CUDART_API cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t, cudaGraphNode_t*,
                                                                size_t, unsigned);

CUDART_API cudaError_t cudaGraphAddNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*,
                                        size_t, cudaGraphNodeParams*);

CUDART_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*,
                                               const harness::cudart::cuda12::Resource*);
CUDART_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t*,
                                               const harness::cudart::cuda12::Resource*,
                                               const cudaTextureDesc*,
                                               const harness::cudart::cuda12::ResourceView*);
CUDART_API cudaError_t cudaGetSurfaceObjectResourceDesc(harness::cudart::cuda12::Resource*,
                                                        cudaSurfaceObject_t);
CUDART_API cudaError_t cudaGetTextureObjectResourceDesc(harness::cudart::cuda12::Resource*,
                                                        cudaTextureObject_t);
CUDART_API cudaError_t cudaGetTextureObjectResourceViewDesc(harness::cudart::cuda12::ResourceView*,
                                                            cudaTextureObject_t);
