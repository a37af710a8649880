// SPDX-License-Identifier: Apache-2.0
// Observer: the facts that the path reports of a script's calls, whatever the policy.
//
// A fact says what a call did or ran into, in cuda.core's terms. Nothing is expected, compared or
// decided here. Objects that the path makes, changes and releases are reported to the witnesses.
// Lifetime: outlives the run. Threads: called by the task that acts, in the middle of an operation:
// it may record, and must not call back or offer a turn.
#pragma once

#include "targets/graph_argument/vocabulary.h"

namespace targets::graph_argument {

/// Facts are reported when they become true; those about a call, by the task that makes it.
class Observer {
 public:
  virtual ~Observer() = default;

  // ---- calls ----
  /// The call has loaded what the variable holds.
  virtual void referred(Variable variable, Wrapper wrapper) = 0;
  /// The variable holds it from now on.
  virtual void stored(Variable variable, Wrapper wrapper) = 0;
  /// CUDA has done what the call requests; once for each node of a call that requests two.
  virtual void bound() = 0;
  /// The node that is about to be added depends on `count` others.
  virtual void comes_after(std::size_t count) = 0;
  /// A buffer or an event was closed.
  virtual void closed(Wrapper wrapper) = 0;
  /// The call begins to wait for a stream.
  virtual void waits(StreamName stream) = 0;
  /// The call has learned that the stream finished its work from before the wait.
  virtual void finished(StreamName stream) = 0;
  /// A destructor of a user object has returned.
  virtual void destructed() = 0;
  /// The script drops all that its variables hold, or with `graphs` only what belongs to graphs.
  virtual void drops_all(bool graphs) = 0;

  // ---- odd things that a call met ----
  /// A stream that was closed is named. It is refused, or the default stream is taken for it.
  virtual void named_closed_stream(bool refused) = 0;
  /// A graph is named that went with its node. It is refused, or its handle is used.
  virtual void named_orphan(std::uint64_t handle, bool refused) = 0;
  /// A capture was ended, and has made nothing.
  virtual void capture_failed() = 0;
  /// A kernel node was given the address of a buffer that was closed before CUDA had copied it.
  virtual void took_closed(harness::Label kernel) = 0;
  /// A function called by CUDA waits for the GIL.
  virtual void called_back() = 0;
  /// Python's queue has no room for what is put off.
  virtual void pending_call_refused() = 0;
  /// All that was put off is gone: the main thread has had its turn.
  virtual void cleaned_up() = 0;
};

}  // namespace targets::graph_argument
