// SPDX-License-Identifier: Apache-2.0
// Names of CUDA 12: the runtime's sources are compiled a second time with this header included
// first, for libcudart.so.12.
//
// If CUDA 13 gave a function the interface that had a numbered name in CUDA 12, the function has
// the numbered name here. Functions whose structures are larger in CUDA 13 get names that are not
// exported. The functions in cuda12/ have the structures of CUDA 12, and call those.
#pragma once

/// CUDART_VERSION of the last release of CUDA 12.
#define AFTERLIFE_CUDART_VERSION 12090

#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#define cudaMemAdvise cudaMemAdvise_v2
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#define cudaSignalExternalSemaphoresAsync cudaSignalExternalSemaphoresAsync_v2
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
#define cudaWaitExternalSemaphoresAsync cudaWaitExternalSemaphoresAsync_v2

#define cudaCreateSurfaceObject afterlife_cudaCreateSurfaceObject
#define cudaCreateTextureObject afterlife_cudaCreateTextureObject
#define cudaGetDeviceProperties afterlife_cudaGetDeviceProperties
#define cudaGetSurfaceObjectResourceDesc afterlife_cudaGetSurfaceObjectResourceDesc
#define cudaGetTextureObjectResourceDesc afterlife_cudaGetTextureObjectResourceDesc
#define cudaGetTextureObjectResourceViewDesc afterlife_cudaGetTextureObjectResourceViewDesc
#define cudaMemcpyBatchAsync afterlife_cudaMemcpyBatchAsync
#define cudaMemcpyBatchAsync_ptsz afterlife_cudaMemcpyBatchAsync_ptsz
#define cudaPointerGetAttributes afterlife_cudaPointerGetAttributes
