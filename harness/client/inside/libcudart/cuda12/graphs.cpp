// SPDX-License-Identifier: Apache-2.0
// Graphs and captures in CUDA 12, where edges have no data.
#include "harness/client/inside/libcudart/cuda12/functions.h"

using harness::cudart::Call;

CUDART_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t count,
                                        cudaGraphNodeParams* parameters) {
  const Call call("cudaGraphAddNode");
  return cudaGraphAddNode_v2(node, graph, after, nullptr, count, parameters);
}

CUDART_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                cudaStreamCaptureStatus* status,
                                                unsigned long long* id) {
  const Call call("cudaStreamGetCaptureInfo");
  return cudaStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
CUDART_PTSZ(cudaStreamGetCaptureInfo, stream,
            (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id),
            (stream, status, id))

CUDART_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                   cudaStreamCaptureStatus* status,
                                                   unsigned long long* id, cudaGraph_t* graph,
                                                   const cudaGraphNode_t** dependencies,
                                                   size_t* count) {
  const Call call("cudaStreamGetCaptureInfo");
  return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, nullptr, count);
}
CUDART_PTSZ(cudaStreamGetCaptureInfo_v2, stream,
            (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
             cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* count),
            (stream, status, id, graph, dependencies, count))

CUDART_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                           cudaGraphNode_t* dependencies,
                                                           size_t count, unsigned flags) {
  const Call call("cudaStreamUpdateCaptureDependencies");
  return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
}
CUDART_PTSZ(cudaStreamUpdateCaptureDependencies, stream,
            (cudaStream_t stream, cudaGraphNode_t* dependencies, size_t count, unsigned flags),
            (stream, dependencies, count, flags))
