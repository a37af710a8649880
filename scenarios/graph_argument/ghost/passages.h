// Passages: the windows that a run has gone through.
#pragma once

#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the scene.
class Passages {
 public:
  explicit Passages(harness::Scene& scene) : scene_(scene) {}

  void reach(Window window) {
    scene_.reach(harness::raw(window));
    scene_.exercised();
    last_ = harness::raw(window);
  }
  /// Returns the window that was reached last, or -1.
  int last() const { return last_; }

 private:
  harness::Scene& scene_;
  int last_ = -1;
};

}  // namespace scenarios::graph_argument
