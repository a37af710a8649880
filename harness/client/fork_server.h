// Fork server: a process of the program that stands at its first question, and forks a child for
// each run: what comes before it is done once.
//
// Source: the deferred fork server of AFL (Zalewski 2014). Where we depart: no place for it is
// named in the program, the first question is that place; and what a fork cannot carry is looked
// for.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "harness/client/broker/broker.h"
#include "harness/client/client.h"
#include "harness/client/run_folder.h"
#include "harness/client/server_socket.h"
#include "harness/process/running.h"

namespace harness::client {

/// Lifetime: its process ends with it. It borrows `stop`. Threads: confined to one.
class ForkServer {
 public:
  /// Starts the program, up to its first question: what its runs are not to differ in is as
  /// `orders` say. Errors: std::runtime_error where it cannot be started.
  ForkServer(const Client& client, const std::atomic<bool>& stop, const Orders& orders = {});

  /// Says why it cannot serve, or nothing where it can.
  const std::string& refusal() const { return refusal_; }
  /// Runs the program from its first question on. Returns nothing where the server is gone, and
  /// says why from then on.
  std::optional<ClientRun> run(const Orders& orders);

 private:
  void wait_for_question();
  /// Says what a fork of the process that has connected would lack.
  std::string lacking(const Packet& hello);
  std::optional<ProcessEnd> forked(const Orders& orders);
  /// Waits for the child's end, and ends it where that is wanted. Returns its exit code, or minus
  /// the signal.
  std::optional<int> wait_for(int child, Capture& capture);

  const Client client_;
  const std::atomic<bool>& stop_;
  RunFolder folder_;
  Broker broker_{folder_.name()};
  ServerSocket door_;
  RunningProcess process_;
  ServerSocket socket_{-1};
  std::string refusal_;
};

}  // namespace harness::client
