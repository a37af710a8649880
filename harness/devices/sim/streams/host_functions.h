// HostFunctions: calls the functions of the program that streams and graphs hand over.
//
// CUDA calls them on a thread of its own, one after another. Ours is a task of each process, or a
// thread in a program without a world; where a run is outside of its tasks, whoever is here calls
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

 private:
  struct Callee;
  static Callee callee(const HostCall& call);
  Callee callee(const Work& work);
  bool call_later(const HostCall& call);
  [[noreturn]] void serve(ProcessId id);
  void call_now(const HostCall& call);
  void finish(const HostCall& call);

  SimDevice& sim_;
  ProcessThread thread_;
};

}  // namespace harness::devices
