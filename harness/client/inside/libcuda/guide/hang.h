// SPDX-License-Identifier: Apache-2.0
// Hang: reports the places of all threads of a hanging process, at the request of the run's watch.
//
// Everything happens in a signal handler. A thread that waits for another one normally holds no
// lock that is needed here. If it does, there is no report, and the watch ends the process.
#pragma once

#include <functional>
#include <vector>

#include "harness/client/border/report.h"
#include "harness/client/inside/libcuda/idle_device.h"
#include "harness/client/inside/libcuda/python/threads.h"

namespace harness::entries {

class Hang {
 public:
  /// Receives the place of each thread, the main thread first. The process ends when it returns.
  using Told = std::function<void(bool is_deadlock, std::vector<client::Party> stuck)>;

  /// Lifetime: until the process ends.
  static void listen(PythonThreads& turns, const IdleDevice& device, Told told);
  /// Reports now if the request came while the main thread was in the driver.
  static void answer_late();
};

}  // namespace harness::entries
