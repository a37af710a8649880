// SPDX-License-Identifier: Apache-2.0
// DeferredCleanup: what CUDA's threads were to release, until Python's main thread does.
//
// Threads: push() from any, without the GIL; the rest on a Python thread. Pushing calls neither
// CUDA nor Python, except for one pending call, which is requested again at the next entry if
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
  /// Called when a method begins: requests the pending call again if the queue was full.
  void retry() {
    if (!empty() && !scheduled_) schedule();
  }
  /// From now on everything stays in the queue, because there is no interpreter.
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
