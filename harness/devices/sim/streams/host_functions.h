// HostFunctions: calls the functions of the program that streams and graphs hand over.
//
// CUDA calls them on a thread of its own, one after another. Ours is a task of each process; where
// there are no tasks, whoever is here calls them.
#pragma once

#include "harness/devices/sim/graphs/launches/run.h"
#include "harness/scheduler.h"

namespace harness::devices {

class SimDevice;

class HostFunctions {
 public:
  explicit HostFunctions(SimDevice& sim) : sim_(sim) {}
  /// Calls the function that a stream has come to. Returns true when it has returned.
  bool call(Stream& stream, Work& work);
  /// Calls the function of a host node.
  void call(const HostCall& call);

 private:
  void call_later(const HostCall& call);
  void call_now(Work& work);
  [[noreturn]] void serve(ProcessId id);

  SimDevice& sim_;
};

}  // namespace harness::devices
