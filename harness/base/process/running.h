// SPDX-License-Identifier: Apache-2.0
// Running process: a command that was started and has not ended.
#pragma once

#include <sys/types.h>

#include <atomic>

#include "harness/base/process/capture.h"
#include "harness/base/process/process.h"

namespace harness {

/// Lifetime: the process and its children end with this object at the latest. Errors:
/// std::runtime_error if it cannot be started.
class RunningProcess {
 public:
  RunningProcess(const Command& command, const ProcessOptions& options,
                 const std::atomic<bool>& stop);
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  pid_t id() const { return id_; }
  Capture& capture() { return capture_; }
  /// Waits until it ends, and ends it if necessary. Returns the exit code, or minus the signal.
  int wait();

 private:
  void start(const Command& command, const ProcessOptions& options, Pipe& refusal);

  Capture capture_;
  pid_t id_ = -1;
  bool is_over_ = false;
};

}  // namespace harness
