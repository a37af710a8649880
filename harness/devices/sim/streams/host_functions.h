// SPDX-License-Identifier: Apache-2.0
// HostFunctions: calls the functions of the program that streams and graphs hand over.
//
// CUDA calls them on a separate thread, one after another. Ours is a task of each process, or a
// thread in a program without a world; where a run is outside of its tasks, code that is here calls
// them.
#pragma once

#include "harness/cuda/process.h"
#include "harness/devices/sim/graphs/launches/run.h"
#include "harness/scheduler.h"

namespace harness::devices {

struct Process;
class SimDevice;

class HostFunctions {
 public:
  explicit HostFunctions(SimDevice& sim) : sim_(sim) {}
  /// Calls the function that a stream has come to. Returns true when it has returned.
  bool call(Stream& stream, Work& work);
  /// Calls the function of a host node.
  void call(const HostCall& call);
  /// Returns whether the driver's thread has called all that it was given.
  bool idle() const { return thread_.idle(); }
  /// A function of the program, and who handed it over.
  struct Called {
    std::uintptr_t code = 0;  ///< Its first instruction.
    Name activation = 0;
  };
  /// Returns the function that is called, or was called last.
  const Called& last_called() const { return last_called_; }

 private:
  struct Callee;
  Callee callee(const HostCall& call);
  Callee callee(const Stream& stream, const Work& work);
  void begin(LentId data, const Stream& stream, CapturedAt captured, const void* function);
  bool call_later(const HostCall& call);
  [[noreturn]] void serve(ProcessId id);
  void call_now(const HostCall& call);
  void finish(const HostCall& call);

  SimDevice& sim_;
  ProcessThread thread_;
  Called last_called_;
};

}  // namespace harness::devices
