// SPDX-License-Identifier: Apache-2.0
// Recorder: records the flow of this program while it exists, if the program was built to count
// edges (hooks.cpp).
//
// Threads: records the flow of one thread; that of a second one would be mixed with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/flow/flow.h"

namespace harness {

/// An edge, as addresses of code.
struct RawPoint {
  std::uintptr_t code = 0;    ///< Address inside the target.
  std::uintptr_t caller = 0;  ///< Address inside the call if the target begins a function; else 0.
  bool operator==(const RawPoint&) const = default;
};

/// Maximum number of recorded edges. Later ones are ignored.
inline constexpr std::size_t kMostEdges = std::size_t{1} << 24;

/// Lifetime: records while it exists. One at a time.
class FlowRecorder {
 public:
  FlowRecorder();
  ~FlowRecorder();
  FlowRecorder(const FlowRecorder&) = delete;
  FlowRecorder& operator=(const FlowRecorder&) = delete;

  /// Returns the recorded flow. Starts llvm-symbolizer for the names of places.
  /// Errors: std::runtime_error if llvm-symbolizer is not installed.
  Flow flow() const;

  /// Records an edge; called by hooks.cpp.
  void note(const RawPoint& point) {
    if (points_.size() < kMostEdges) points_.push_back(point);
  }

 private:
  std::vector<RawPoint> points_;
};

/// Shared by hooks.cpp and the recorder.
struct FlowHooks {
  bool are_called = false;           ///< This program was built to count edges.
  FlowRecorder* recorder = nullptr;  ///< The existing recorder, or null.
};
extern FlowHooks flow_hooks;

}  // namespace harness
