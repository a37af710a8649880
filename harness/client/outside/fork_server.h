// SPDX-License-Identifier: Apache-2.0
// Fork server: a process of the program that waits at its first choice, and forks a child for each
// run, so everything before that choice runs once.
//
// Source: the deferred fork server of AFL (Zalewski 2014). We depart from it in two points: the
// program does not name the fork point, which is its first choice; and the process is checked for
// state that a fork would lose.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "harness/base/process/running.h"
#include "harness/client/border/server_socket.h"
#include "harness/client/outside/broker/broker.h"
#include "harness/client/outside/client.h"
#include "harness/client/outside/run_folder.h"

namespace harness::client {

/// Lifetime: its destructor ends the process. Borrows `stop`. Threads: confined to one thread.
class ForkServer {
 public:
  /// Starts the program and runs it up to its first choice. `orders`: settings that are the same in
  /// all runs. Errors: std::runtime_error if it cannot be started.
  ForkServer(const Client& client, const std::atomic<bool>& stop, const Orders& orders = {});

  /// Returns why it cannot serve, or nothing if it can.
  const std::string& refusal() const { return refusal_; }
  /// Runs the program from its first choice. Returns nothing if the server has ended; refusal()
  /// then has the reason.
  std::optional<ClientRun> run(const Orders& orders);

 private:
  void wait_for_question();
  /// Returns what a fork of the connected process would lose.
  std::string lacking(const Packet& hello);
  std::optional<ProcessEnd> forked(const Orders& orders);
  /// Waits for the child to end, or kills it on request. Returns its exit code, or minus the
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
