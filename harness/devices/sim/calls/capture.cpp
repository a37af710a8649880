// SPDX-License-Identifier: Apache-2.0
// Stream capture: the calls that begin it, end it and query it.
#include <algorithm>
#include <utility>

#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

static bool is_mode(CUstreamCaptureMode mode) {
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
         mode == CU_STREAM_CAPTURE_MODE_RELAXED;
}

CUresult Calls::cuStreamBeginCapture_v2(CUstream on, CUstreamCaptureMode mode) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
  return sim.captures().start(*stream, nullptr, {}, mode);
}

CUresult Calls::cuStreamBeginCaptureToGraph(CUstream on, CUgraph handle, const CUgraphNode* after,
                                            const CUgraphEdgeData* data, size_t count,
                                            CUstreamCaptureMode mode) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphEdge>& edges = sim.graphs().definitions().scratch_edges();
  if (!find_edges(sim, *call.graph(), after, data, count, edges)) return CUDA_ERROR_INVALID_VALUE;
  return sim.captures().start(*stream, call.graph(), edges, mode);
}

CUresult Calls::cuStreamEndCapture(CUstream on, CUgraph* graph) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Graph* made = nullptr;
  const CUresult status = sim.captures().end(*stream, made);
  *graph = made != nullptr ? made->as<CUgraph>() : nullptr;
  return status;
}

static CUstreamCaptureStatus status_of(const Stream& stream) {
  if (stream.capture == nullptr) return CU_STREAM_CAPTURE_STATUS_NONE;
  return stream.capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                     : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult Calls::cuStreamIsCapturing(CUstream on, CUstreamCaptureStatus* status) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (sim.captures().implied_by(*stream) != nullptr) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  *status = status_of(*stream);
  return CUDA_SUCCESS;
}

static bool has_data(const GraphEdge& edge) {
  return edge.data.from_port != 0 || edge.data.to_port != 0 || edge.data.type != 0;
}

CUresult Calls::cuStreamGetCaptureInfo_v3(CUstream on, CUstreamCaptureStatus* status,
                                          cuuint64_t* id, CUgraph* graph,
                                          const CUgraphNode** dependencies,
                                          const CUgraphEdgeData** data, size_t* count) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (status == nullptr || (data != nullptr && dependencies == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  if (sim.captures().implied_by(*stream) != nullptr) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  *status = status_of(*stream);
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  const Capture& capture = *stream->capture;
  const std::vector<GraphEdge>& tail = stream->capture->branch_of(*stream).tail;
  stream->returned_nodes.clear();
  stream->returned_data.clear();
  bool lossy = false;
  for (const GraphEdge& edge : tail) {
    stream->returned_nodes.push_back(edge.from->as<CUgraphNode>());
    stream->returned_data.push_back(edge.data);
    lossy |= has_data(edge);
  }
  if (dependencies != nullptr && data == nullptr && lossy) return CUDA_ERROR_LOSSY_QUERY;
  if (id != nullptr) *id = capture.id;
  if (graph != nullptr) *graph = capture.graph->as<CUgraph>();
  if (dependencies != nullptr) *dependencies = stream->returned_nodes.data();
  if (data != nullptr) *data = stream->returned_data.data();
  if (count != nullptr) *count = tail.size();
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamUpdateCaptureDependencies_v2(CUstream on, CUgraphNode* dependencies,
                                                     const CUgraphEdgeData* data, size_t count,
                                                     unsigned flags) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (const CUresult status = sim.captures().admit(*stream); status != CUDA_SUCCESS) return status;
  Capture& capture = *stream->capture;
  std::vector<GraphEdge>& edges = sim.graphs().definitions().scratch_edges();
  if (!find_edges(sim, *capture.graph, dependencies, data, count, edges))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphEdge>& tail = capture.branch_of(*stream).tail;
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) tail.clear();
  for (const GraphEdge& edge : edges) {
    const auto is_known = [&](const GraphEdge& known) { return known.from == edge.from; };
    if (std::none_of(tail.begin(), tail.end(), is_known)) tail.push_back(edge);
  }
  return CUDA_SUCCESS;
}

CUresult Calls::cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr || !is_mode(*mode)) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, sim.threads().capture_mode());
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
