// SPDX-License-Identifier: Apache-2.0
// CleanupQueue: cuda.core's deferred cleanup. It holds objects of user objects until Python's main
// thread releases them, last in, first out, until the queue is empty.
//
// Source: rt/py_deferred_cleanup.cpp of cuda.core. Threads: push() from any, without the GIL; the
// rest on a Python thread. It calls neither CUDA nor Python, except for one pending call at a time.
// If Python's queue was full, the next push() or retry() requests the call again; few of
// cuda.core's entry points call retry().
#pragma once

#include "targets/graph_argument/core.h"

namespace targets::graph_argument {

/// Objects that one user object held.
/// Ownership: CUDA owns it through the user object; then the queue owns and drops it.
struct CleanupItem {
  virtual ~CleanupItem() = default;
  /// Releases everything that it holds. Called on the main thread.
  virtual void drop() = 0;
};

class CleanupQueue {
 public:
  explicit CleanupQueue(Core& core) : core_(core) {}

  void push(CleanupItem& item);
  /// Requests the pending call if it is needed.
  void retry() { schedule(); }
  /// Keeps everything in the queue from now on, because there is no interpreter.
  void stop() { accepts_ = false; }

 private:
  void schedule();
  void drain();
  /// Removes and returns all items, the last one first.
  std::pmr::vector<CleanupItem*> take();

  Core& core_;
  std::pmr::vector<CleanupItem*> items_;
  bool scheduled_ = false;  ///< A pending call is requested, or runs.
  bool accepts_ = true;
};

}  // namespace targets::graph_argument
