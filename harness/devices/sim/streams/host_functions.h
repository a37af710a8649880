// SPDX-License-Identifier: Apache-2.0
// HostFunctions: calls the functions of the program in streams and graphs.
//
// CUDA calls them on a separate thread, one after another. Here this is a task of each process, or
// a thread in a program without a world. Outside of the tasks of a run, the calling code runs them.
#pragma once

#include "harness/core/scheduler/scheduler.h"
#include "harness/devices/sim/graphs/launches/run.h"
#include "harness/driver/cuda/process.h"

namespace harness::devices {

struct Process;
class SimDevice;

class HostFunctions {
 public:
  explicit HostFunctions(SimDevice& sim) : sim_(sim) {}
  /// Calls the function that a stream has reached. Returns whether it has returned.
  bool call(Stream& stream, Work& work);
  /// Calls the function of a host node.
  void call(const HostCall& call);
  /// Returns whether the driver's thread has completed all its calls.
  bool idle() const { return thread_.idle(); }
  /// A function of the program, and the activation that passed it in.
  struct Called {
    std::uintptr_t code = 0;  ///< Its first instruction.
    Name activation = 0;
  };
  /// Returns the current or the last called function.
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
