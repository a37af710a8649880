// CleanupQueue: cuda.core's deferred cleanup: what user objects have held, until Python's main
// thread lets go of it, last in first out, until there is no more.
//
// Source: rt/py_deferred_cleanup.cpp of cuda.core. Threads: push() from any, without the GIL; the
// rest on a Python thread. It calls neither CUDA nor Python, but for one pending call at a time.
// Where Python's queue was full that is asked for again by the next push(), or by retry(), which
// few of cuda.core's entries call.
#pragma once

#include "targets/graph_argument/core.h"

namespace targets::graph_argument {

/// Things that one user object has held.
/// Ownership: CUDA's, by the user object; then the queue's, which drops it.
struct CleanupItem {
  virtual ~CleanupItem() = default;
  /// Lets go of all that it holds, and ends it. On the main thread.
  virtual void drop() = 0;
};

class CleanupQueue {
 public:
  explicit CleanupQueue(Core& core) : core_(core) {}

  void push(CleanupItem& item);
  /// Asks for the pending call, if there is need of one.
  void retry() { schedule(); }
  /// From now on everything stays where it is: there is nobody to run it.
  void stop() { accepts_ = false; }

 private:
  void schedule();
  void drain();
  /// Takes out all that there is, the last first.
  std::pmr::vector<CleanupItem*> take();

  Core& core_;
  std::pmr::vector<CleanupItem*> items_;
  bool scheduled_ = false;  ///< A pending call is asked for, or runs.
  bool accepts_ = true;
};

}  // namespace targets::graph_argument
