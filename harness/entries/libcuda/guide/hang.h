// Hang: a process that hangs says where its threads are, once the watch of its run asks.
//
// All happens in the handler of a signal. A thread that waits for another holds no lock that is
// needed here; where one does nevertheless, there is no answer, and the watch ends the process.
#pragma once

#include <functional>
#include <vector>

#include "harness/client/report.h"
#include "harness/entries/libcuda/idle_device.h"
#include "harness/entries/libcuda/python/threads.h"

namespace harness::entries {

class Hang {
 public:
  /// Hears where each thread is, the main thread first. The process ends when it returns.
  using Told = std::function<void(bool is_deadlock, std::vector<client::Party> stuck)>;

  /// Lifetime: until the process ends.
  static void listen(PythonThreads& turns, const IdleDevice& device, Told told);
  /// Answers now if it was asked while the main thread was in the driver.
  static void answer_late();
};

}  // namespace harness::entries
