// SPDX-License-Identifier: Apache-2.0
// Broker: keeps the shared state of the processes of a program: exported objects, which process has
// them open, their uses, which work is known to be complete, and whose turn it is.
//
// Bytes are in files of the exporting processes. The broker holds them open, so memory outlives a
// killed process. Kernels and host functions run where they were launched.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "harness/client/border/broker_message.h"

namespace harness::client {

/// Ownership: owns its thread. Lifetime: that of the run's folder, through which processes connect.
/// Threads: one thread calls its functions.
class Broker {
 public:
  explicit Broker(const std::string& folder);
  ~Broker();
  Broker(const Broker&) = delete;  // Its thread refers to it.
  Broker& operator=(const Broker&) = delete;

  /// Sets the parent of the program's first processes.
  void expect_children_of(int process) { parent_ = process; }
  /// Forgets the previous run, whose processes have ended.
  void begin_run() { forgets_ = true; }

 private:
  class Desk;

  void work(Desk& desk);

  BrokerSocket door_;
  int wake_ = -1;  ///< An event file that ends the thread's wait.
  std::atomic<int> parent_;
  std::atomic<bool> forgets_{false};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace harness::client
