// SPDX-License-Identifier: Apache-2.0
// Recorder: notes the flow of whatever this program does between two moments, if it was built to
// count edges; see hooks.cpp.
//
// Threads: what is noted is the flow of one thread; a second one's would be mixed with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/flow/flow.h"

namespace harness {

/// An edge, as addresses of code.
struct RawPoint {
  std::uintptr_t code = 0;    ///< Within what it leads to.
  std::uintptr_t caller = 0;  ///< Within the call, if that is a function's beginning; else 0.
  bool operator==(const RawPoint&) const = default;
};

/// This many edges are noted, and none after them.
inline constexpr std::size_t kMostEdges = std::size_t{1} << 24;

/// Lifetime: it notes as long as it lives. One at a time.
class FlowRecorder {
 public:
  FlowRecorder();
  ~FlowRecorder();
  FlowRecorder(const FlowRecorder&) = delete;
  FlowRecorder& operator=(const FlowRecorder&) = delete;

  /// Returns what was noted, with the names of places, for which llvm-symbolizer is started.
  /// Errors: std::runtime_error if it is not there.
  Flow flow() const;

  /// Notes an edge; called by hooks.cpp.
  void note(const RawPoint& point) {
    if (points_.size() < kMostEdges) points_.push_back(point);
  }

 private:
  std::vector<RawPoint> points_;
};

/// Shared by hooks.cpp and the recorder.
struct FlowHooks {
  bool are_called = false;           ///< This program was built to count edges.
  FlowRecorder* recorder = nullptr;  ///< The one that there is, or null.
};
extern FlowHooks flow_hooks;

}  // namespace harness
