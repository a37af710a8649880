// SPDX-License-Identifier: Apache-2.0
// DeferredCleanup: defers releases by CUDA's threads to Python's main thread.
//
// Threads: push() from any, without the GIL; the rest on a Python thread. Pushing calls neither
// CUDA nor Python, except for one pending call, which is requested again when a method begins if
// Python's queue was full.
#pragma once

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

class DeferredCleanup {
 public:
  explicit DeferredCleanup(Core& core) : core_(core) {}

  /// Takes `owners`, which must not move.
  void push(Owners& owners);
  void push(Garbage garbage);
  /// Requests the pending call again if the queue was full. Called when a method begins.
  void retry() {
    if (!empty() && !scheduled_) schedule();
  }
  /// Keeps everything in the queue from now on, because there is no interpreter.
  void abandon() { abandoned_ = true; }

 private:
  bool empty() const { return owners_.empty() && garbage_.empty(); }
  void schedule();
  void drain();

  Core& core_;
  std::pmr::vector<Owners*> owners_;
  std::pmr::vector<Garbage> garbage_;
  bool scheduled_ = false;
  bool abandoned_ = false;
};

}  // namespace targets::graph_argument
