// DeferredCleanup: what CUDA's threads were told to let go of, until Python's main thread does.
//
// Threads: push() from any, without the GIL; the rest on a Python thread. Pushing calls neither
// CUDA nor Python, but for one pending call, which is asked for again at the next entry when
// Python's queue was full.
#pragma once

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

class DeferredCleanup {
 public:
  explicit DeferredCleanup(Core& core) : core_(core) {}

  /// `owners` must stay where they are.
  void push(Owners& owners);
  void push(Garbage garbage);
  /// A method begins: asks again for what could not be asked for.
  void retry() {
    if (!empty() && !scheduled_) schedule();
  }
  /// From now on everything stays where it is: there is nobody to run it.
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
