// SPDX-License-Identifier: Apache-2.0
// Fork server: a process of the program that waits at its first choice, and forks a child for each
// run, so everything before that choice runs once.
//
// Source: the deferred fork server of AFL (Zalewski 2014). Where we depart: the program does not
// name the fork point, which is its first choice; and state that a fork would lose is searched for.
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
  /// Starts the program, up to its first choice. `orders` has what is equal in all runs. Errors:
  /// std::runtime_error if it cannot be started.
  ForkServer(const Client& client, const std::atomic<bool>& stop, const Orders& orders = {});

  /// Returns why it cannot serve, or nothing if it can.
  const std::string& refusal() const { return refusal_; }
  /// Runs the program from its first choice on. Returns nothing if the server has ended; why_not()
  /// then has the reason.
  std::optional<ClientRun> run(const Orders& orders);

 private:
  void wait_for_question();
  /// Returns what a fork of the connected process would lose.
  std::string lacking(const Packet& hello);
  std::optional<ProcessEnd> forked(const Orders& orders);
  /// Waits for the child to end, and kills it on request. Returns its exit code, or minus the
  /// signal.
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
