// SPDX-License-Identifier: Apache-2.0
// Captures: streams whose work becomes nodes of a graph instead of being done.
//
// A capture begins in one stream, its origin, and spreads to others by events. Each stream of it
// has a set of nodes that the next one will wait for. What the rules forbid returns its error and
// invalidates the capture, which then has to be ended nevertheless.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/devices/sim/graphs/graph.h"

namespace harness::devices {

class SimDevice;
class Stream;
struct Event;

struct Capture {
  /// A stream of the capture, and what its next node will wait for.
  struct Branch {
    Stream* stream;  ///< Null once it was destroyed: what it captured must be joined nevertheless.
    std::vector<GraphEdge> tail;
  };

  std::uint64_t id = 0;
  Graph* graph = nullptr;
  bool made_graph = false;  ///< The graph is its own until it ends.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::size_t thread = 0;  ///< The thread that began it.
  bool invalidated = false;
  bool ended = false;
  std::vector<Branch> branches;  ///< The origin first.

  Branch& branch_of(const Stream& stream);
};

/// Ownership: owns the captures of a run. Errors: the documented ones.
class Captures {
 public:
  explicit Captures(SimDevice& sim) : sim_(sim) {}
  void begin();
  /// Nothing of all this matters while nothing captures.
  bool none() const { return active_count_ == 0; }

  // ---- from the first call to the last ----

  /// Into `graph`, after `after`; into a new one when it is null.
  CUresult start(Stream& stream, Graph* graph, std::span<const GraphEdge> after,
                 CUstreamCaptureMode mode);
  /// Ends the capture, also if it returns an error other than UNMATCHED and WRONG_THREAD.
  CUresult end(Stream& stream, Graph*& made);
  /// The stream is no more, and with the origin the capture.
  void lose(Stream& stream);

  // ---- what calls ask ----

  /// Admits a call that gives a stream work. SUCCESS: it is done, or captured by what follows.
  CUresult admit(Stream& stream) { return none() ? CUDA_SUCCESS : admit_work(stream); }
  /// Admits a call that is not allowed while the stream captures: UNSUPPORTED, also if the capture
  /// is lost already, and the end of it.
  CUresult refuse(Stream& stream) { return none() ? CUDA_SUCCESS : end_by_use(stream); }
  /// Admits a call that a capture cannot see, and that its mode and the thread's may forbid.
  CUresult admit_unsafe() { return none() ? CUDA_SUCCESS : end_by_unsafe(); }
  /// Admits a call that concerns all streams of a context.
  CUresult admit_all(const Context& context);
  /// Admits a call that looks at an event, or waits for it, on the host.
  CUresult admit(const Event& event);
  /// True while blocking streams of this one's context capture, and this is the legacy stream.
  Capture* implied_by(const Stream& stream) const;

  /// A capture that has not ended puts nodes into the graph, or one embedded in it.
  bool fills(const Graph& graph) const;

  // ---- what is captured ----

  /// Tells a call that makes something else before the node whether one of this type may be added.
  CUresult admit_node(Stream& stream, CUgraphNodeType type);
  CUresult add(Stream& stream, const NodeParams& params,
               const KernelAttributes& attributes = kDefaultAttributes);
  /// Code that waits for the event does so by edges with this data.
  void record(Stream& stream, Event& event, const CUgraphEdgeData& data = {});
  /// The next node is a kernel that need not wait for the whole of the kernel before it.
  void overlap(Stream& stream);
  CUresult wait(Stream& stream, const Event& event);

 private:
  CUresult admit_work(const Stream& stream);
  CUresult end_implied(const Stream& stream);
  CUresult end_by_use(Stream& stream);
  CUresult end_by_unsafe();
  static CUresult invalidate(Capture& capture, CUresult error);
  static bool is_joined(const Capture& capture);
  void finish(Capture& capture);

  SimDevice& sim_;
  std::vector<std::unique_ptr<Capture>> captures_;  ///< The captures of this run, then spare ones.
  std::size_t count_ = 0;
  std::size_t active_count_ = 0;
  std::uint64_t id_ = 0;  ///< The id of the last one: unique for the life of the program.
};

}  // namespace harness::devices
