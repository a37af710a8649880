// Broker: keeps what crosses the processes of a program: what each has exported, who has it open,
// how it was used, which work is known to be done, and whose turn it is.
//
// Bytes are in files that the exporting processes made; the broker has them, so that memory
// outlives whoever is killed. Kernels and host functions run where they were launched.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "harness/client/broker/message.h"

namespace harness::client {

/// Ownership: a thread of its own. Lifetime: of the run's folder, in which processes connect.
/// Threads: its functions are called by one.
class Broker {
 public:
  explicit Broker(const std::string& folder);
  ~Broker();
  Broker(const Broker&) = delete;  // Its thread points at it.
  Broker& operator=(const Broker&) = delete;

  /// The program's first processes are children of this one, and not of the caller's.
  void expect_children_of(int process) { parent_ = process; }
  /// Forgets the run before, whose processes have ended.
  void begin_run() { forgets_ = true; }

 private:
  class Desk;

  void work(Desk& desk);

  BrokerSocket door_;
  int wake_ = -1;  ///< An event that ends the thread's wait.
  std::atomic<int> parent_;
  std::atomic<bool> forgets_{false};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace harness::client
