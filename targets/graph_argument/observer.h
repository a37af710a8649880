// SPDX-License-Identifier: Apache-2.0
// Observer: receives facts about a script's calls, whatever the policy.
//
// A fact is what a call did or ran into, in cuda.core's terms. Nothing is expected, compared or
// decided here. Objects that the path makes, changes and releases are reported to the witnesses.
// Lifetime: outlives the run. Threads: called by the acting task in the middle of an operation: it
// may record, but must neither call back nor offer a preemption point.
#pragma once

#include "targets/graph_argument/vocabulary.h"

namespace targets::graph_argument {

/// Facts are reported when they become true. Facts about a call come from its task.
class Observer {
 public:
  virtual ~Observer() = default;

  // ---- calls ----
  /// The call has loaded the variable's value.
  virtual void referred(Variable variable, Wrapper wrapper) = 0;
  /// The variable now holds the wrapper.
  virtual void stored(Variable variable, Wrapper wrapper) = 0;
  /// CUDA has done the work of the call. Reported once per node if a call adds two.
  virtual void bound() = 0;
  /// The node that is about to be added depends on `count` others.
  virtual void comes_after(std::size_t count) = 0;
  /// A buffer or an event was closed.
  virtual void closed(Wrapper wrapper) = 0;
  /// The call begins to wait for a stream.
  virtual void waits(StreamName stream) = 0;
  /// The call knows that the stream has finished all work from before the wait.
  virtual void finished(StreamName stream) = 0;
  /// A destructor of a user object has returned.
  virtual void destructed() = 0;
  /// The script drops all its variables, or with `graphs` only those related to graphs.
  virtual void drops_all(bool graphs) = 0;

  // ---- odd things that a call met ----
  /// A closed stream is named. It is refused, or replaced by the default stream.
  virtual void named_closed_stream(bool refused) = 0;
  /// A graph is named that was destroyed with its node. It is refused, or its handle is used.
  virtual void named_orphan(std::uint64_t handle, bool refused) = 0;
  /// A capture has ended without a graph.
  virtual void capture_failed() = 0;
  /// A kernel node got the address of a buffer that was closed before CUDA copied the address.
  virtual void took_closed(harness::Label kernel) = 0;
  /// A function called by CUDA waits for the GIL.
  virtual void called_back() = 0;
  /// Python's queue has no room for the pending call.
  virtual void pending_call_refused() = 0;
  /// The main thread has run the deferred cleanup.
  virtual void cleaned_up() = 0;
};

}  // namespace targets::graph_argument
