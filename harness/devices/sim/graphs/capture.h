// SPDX-License-Identifier: Apache-2.0
// Captures: streams whose work becomes nodes of a graph instead of being executed.
//
// A capture begins in one stream, its origin, and spreads to others by events. Each of its streams
// has a set of nodes that the next one will wait for. A violation of the rules returns its error
// and invalidates the capture, which must still be ended.
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
  /// A stream of the capture, and the dependencies of its next node.
  struct Branch {
    Stream* stream;  ///< Null after it was destroyed; its captured work must still be joined.
    std::vector<GraphEdge> tail;
  };

  std::uint64_t id = 0;
  Graph* graph = nullptr;
  bool made_graph = false;  ///< The capture has created the graph and owns it until it ends.
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
  /// Returns whether no stream captures, so that all checks can be skipped.
  bool none() const { return active_count_ == 0; }

  // ---- beginning and end ----

  /// Begins a capture into `graph`, after `after`; into a new graph if it is null.
  CUresult start(Stream& stream, Graph* graph, std::span<const GraphEdge> after,
                 CUstreamCaptureMode mode);
  /// Ends the capture, also if it returns an error other than UNMATCHED and WRONG_THREAD.
  CUresult end(Stream& stream, Graph*& made);
  /// Notes that the stream was destroyed. If it is the origin, the capture is lost, too.
  void lose(Stream& stream);

  // ---- checks of calls ----

  /// Checks a call that submits work to a stream. SUCCESS: the caller executes or captures it.
  CUresult admit(Stream& stream) { return none() ? CUDA_SUCCESS : admit_work(stream); }
  /// Checks a call that is not allowed while the stream captures. Returns UNSUPPORTED, also if the
  /// capture is invalid already, and invalidates it.
  CUresult refuse(Stream& stream) { return none() ? CUDA_SUCCESS : end_by_use(stream); }
  /// Checks a call that a capture cannot record. The capture's mode and the thread's may forbid it.
  CUresult admit_unsafe() { return none() ? CUDA_SUCCESS : end_by_unsafe(); }
  /// Checks a call that concerns all streams of a context.
  CUresult admit_all(const Context& context);
  /// Checks a call that queries an event, or waits for it, on the host.
  CUresult admit(const Event& event);
  /// Returns a capture of blocking streams in the same context if this is the legacy stream; else
  /// null.
  Capture* implied_by(const Stream& stream) const;

  /// Returns whether an unfinished capture adds nodes to the graph, or to one embedded in it.
  bool fills(const Graph& graph) const;

  // ---- captured work ----

  /// Checks whether a node of this type may be added. For calls that create another object first.
  CUresult admit_node(Stream& stream, CUgraphNodeType type);
  CUresult add(Stream& stream, const NodeParams& params,
               const KernelAttributes& attributes = kDefaultAttributes);
  /// Records the event. Streams that wait for it get edges with this data.
  void record(Stream& stream, Event& event, const CUgraphEdgeData& data = {});
  /// Notes that the next node is a kernel that need not wait for the end of the previous one.
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
  std::uint64_t id_ = 0;  ///< The id of the last capture, never reused while the program runs.
};

}  // namespace harness::devices
