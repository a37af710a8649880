// SPDX-License-Identifier: Apache-2.0
// How it works. Only streams know whether they capture, and calls query Captures only for a stream
// that does, or while there is any capture. A violation invalidates the capture. Every later use of
// its streams returns CAPTURE_INVALIDATED until the capture is ended on its first stream.
#include "harness/devices/sim/graphs/capture.h"

#include <algorithm>

#include "harness/devices/sim/calls/graph.h"

namespace harness::devices {

Capture::Branch& Capture::branch_of(const Stream& stream) {
  const auto found = std::find_if(branches.begin(), branches.end(),
                                  [&](const Branch& branch) { return branch.stream == &stream; });
  HARNESS_CHECK(found != branches.end(), "a stream that captures is a branch of its capture");
  return *found;
}

static void add_edge(std::vector<GraphEdge>& edges, const GraphEdge& edge) {
  const auto is_known = [&](const GraphEdge& known) { return known.from == edge.from; };
  if (std::none_of(edges.begin(), edges.end(), is_known)) edges.push_back(edge);
}

void Captures::begin() { count_ = active_count_ = 0; }

// ---- from the first call to the last ----------------------------------------------------------

CUresult Captures::start(Stream& stream, Graph* graph, std::span<const GraphEdge> after,
                         CUstreamCaptureMode mode) {
  if (stream.legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream.capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (count_ == captures_.size()) captures_.push_back(std::make_unique<Capture>());
  Capture& capture = *captures_[count_++];
  capture = {};
  capture.id = ++id_;
  capture.made_graph = graph == nullptr;
  capture.graph = graph != nullptr ? graph : &sim_.graphs().definitions().create();
  capture.mode = mode;
  capture.thread = calling_thread(sim_.world());
  capture.branches.push_back({&stream, {after.begin(), after.end()}});
  stream.capture = &capture;
  ++active_count_;
  return CUDA_SUCCESS;
}

void Captures::finish(Capture& capture) {
  for (const Capture::Branch& branch : capture.branches)
    if (branch.stream != nullptr) branch.stream->capture = nullptr;
  capture.ended = true;
  --active_count_;
}

/// Returns whether every stream was joined to the origin: all nodes that its next node would depend
/// on come before the origin's next node.
bool Captures::is_joined(const Capture& capture) {
  std::vector<const GraphNode*> seen;
  const auto see = [&seen](const std::vector<GraphEdge>& edges) {
    for (const GraphEdge& edge : edges)
      if (std::find(seen.begin(), seen.end(), edge.from) == seen.end()) seen.push_back(edge.from);
  };
  see(capture.branches.front().tail);
  for (std::size_t i = 0; i < seen.size(); ++i) see(seen[i]->after);
  const auto is_seen = [&seen](const GraphEdge& edge) {
    return std::find(seen.begin(), seen.end(), edge.from) != seen.end();
  };
  return std::all_of(capture.branches.begin(), capture.branches.end(), [&](const auto& branch) {
    return std::all_of(branch.tail.begin(), branch.tail.end(), is_seen);
  });
}

CUresult Captures::end(Stream& stream, Graph*& made) {
  made = nullptr;
  if (stream.capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  Capture& capture = *stream.capture;
  if (capture.branches.front().stream != &stream)
    return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  if (capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture.thread != calling_thread(sim_.world()))
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  const CUresult status = capture.invalidated  ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                          : is_joined(capture) ? CUDA_SUCCESS
                                               : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  finish(capture);
  if (status == CUDA_SUCCESS)
    made = capture.graph;
  else if (capture.made_graph && capture.graph->alive)
    sim_.graphs().definitions().destroy(*capture.graph);
  return status;
}

void Captures::lose(Stream& stream) {
  if (stream.capture == nullptr) return;
  Capture& capture = *stream.capture;
  if (capture.branches.front().stream == &stream) {
    capture.invalidated = true;
    finish(capture);
    if (capture.made_graph && capture.graph->alive)
      sim_.graphs().definitions().destroy(*capture.graph);
    return;
  }
  capture.branch_of(stream).stream = nullptr;
  stream.capture = nullptr;
}

// ---- checks of calls --------------------------------------------------------------------------

CUresult Captures::invalidate(Capture& capture, CUresult error) {
  if (capture.invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  capture.invalidated = true;
  return error;
}

Capture* Captures::implied_by(const Stream& stream) const {
  if (!stream.legacy || none()) return nullptr;
  for (const Stream* other : stream.context->streams)
    if (other->blocking && other->capture != nullptr) return other->capture;
  return nullptr;
}

CUresult Captures::end_implied(const Stream& stream) {
  Capture* implied = implied_by(stream);
  if (implied == nullptr) return CUDA_SUCCESS;
  implied->invalidated = true;
  return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUresult Captures::admit_work(const Stream& stream) {
  if (const CUresult status = end_implied(stream); status != CUDA_SUCCESS) return status;
  const bool lost = stream.capture != nullptr && stream.capture->invalidated;
  return lost ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

CUresult Captures::end_by_use(Stream& stream) {
  if (const CUresult status = end_implied(stream); status != CUDA_SUCCESS) return status;
  if (stream.capture == nullptr) return CUDA_SUCCESS;
  stream.capture->invalidated = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult Captures::end_by_unsafe() {
  const CUstreamCaptureMode mode = sim_.threads().capture_mode();
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  const std::size_t me = calling_thread(sim_.world());
  CUresult status = CUDA_SUCCESS;
  for (std::size_t i = 0; i < count_; ++i) {
    Capture& capture = *captures_[i];
    const bool mine = capture.thread == me && capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    const bool of_all =
        mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (capture.ended || (!mine && !of_all)) continue;
    capture.invalidated = true;
    status = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return status;
}

CUresult Captures::admit_all(const Context& context) {
  if (none()) [[likely]]
    return CUDA_SUCCESS;
  CUresult status = admit_unsafe();
  for (Stream* stream : context.streams)
    if (stream->capture != nullptr) {
      stream->capture->invalidated = true;
      status = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return status;
}

CUresult Captures::admit(const Event& event) {
  if (event.capture == nullptr) [[likely]]
    return admit_unsafe();
  event.capture->invalidated = true;
  return CUDA_ERROR_CAPTURED_EVENT;
}

bool Captures::fills(const Graph& graph) const {
  if (none()) [[likely]]
    return false;
  return std::any_of(captures_.begin(), captures_.begin() + static_cast<std::ptrdiff_t>(count_),
                     [&](const std::unique_ptr<Capture>& capture) {
                       return !capture->ended && capture->graph->alive &&
                              &capture->graph->root() == &graph;
                     });
}

// ---- captured work ----------------------------------------------------------------------------

CUresult Captures::admit_node(Stream& stream, CUgraphNodeType type) {
  Capture& capture = *stream.capture;
  if (capture.invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!capture.graph->alive) return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  if (calls::check_type(*capture.graph, type) != CUDA_SUCCESS)
    return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return CUDA_SUCCESS;
}

static bool is_kernel(const NodeParams& params) { return params.type == CU_GRAPH_NODE_TYPE_KERNEL; }

CUresult Captures::add(Stream& stream, const NodeParams& params,
                       const KernelAttributes& attributes) {
  if (const CUresult error = admit_node(stream, params.type); error != CUDA_SUCCESS) return error;
  std::vector<GraphEdge>& tail = stream.capture->branch_of(stream).tail;
  GraphNode& node = sim_.graphs().definitions().add(*stream.capture->graph, params, tail);
  node.attributes = &attributes;
  tail.assign(1, {&node, {}});
  return CUDA_SUCCESS;
}

void Captures::record(Stream& stream, Event& event, const CUgraphEdgeData& data) {
  event.capture = stream.capture;
  event.captured = stream.capture->branch_of(stream).tail;
  if (data.from_port == CU_GRAPH_KERNEL_NODE_PORT_DEFAULT) return;
  for (GraphEdge& edge : event.captured) edge.data = data;
}

void Captures::overlap(Stream& stream) {
  std::vector<GraphEdge>& tail = stream.capture->branch_of(stream).tail;
  if (tail.size() != 1 || !is_kernel(*tail.front().from->params)) return;
  CUgraphEdgeData& data = tail.front().data;
  data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
}

CUresult Captures::wait(Stream& stream, const Event& event) {
  Capture* from = event.capture;
  if (from == nullptr) {
    const bool recorded = event.point.stream != nullptr;
    return recorded ? invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
                    : CUDA_SUCCESS;
  }
  if (from->ended || from->invalidated || stream.legacy) {
    if (stream.capture != nullptr) stream.capture->invalidated = true;
    from->invalidated = true;
    return from->ended     ? CUDA_ERROR_CAPTURED_EVENT
           : stream.legacy ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
                           : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  if (stream.capture == nullptr) {
    stream.capture = from;
    from->branches.push_back({&stream, {}});
  } else if (stream.capture != from) {
    from->invalidated = true;
    return invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  for (const GraphEdge& edge : event.captured) add_edge(from->branch_of(stream).tail, edge);
  return CUDA_SUCCESS;
}

}  // namespace harness::devices
