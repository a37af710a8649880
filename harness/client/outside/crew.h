// SPDX-License-Identifier: Apache-2.0
// Crew: runs the program of a client several times at once, each time in a new process or in a fork
// of a process that waits at its first choice.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/client/outside/client.h"
#include "harness/client/outside/fork_server.h"

namespace harness::client {

/// Ownership: owns a thread for each concurrent run, and its fork server. Borrows the client and
/// `stop`. Lifetime: the destructor waits for runs that have begun. Threads: one thread calls its
/// functions. Errors: those of run_client(), thrown to the requester of the run.
class Crew {
 public:
  /// Runs at most `size` at a time, and at least one.
  Crew(const Client& client, const std::atomic<bool>& stop, unsigned size);
  ~Crew();
  Crew(const Crew&) = delete;  // Its threads point at it.
  Crew& operator=(const Crew&) = delete;

  /// Starts a run after those that were requested before. Runs may end in a different order.
  std::future<ClientRun> begin(const Orders& orders);
  /// Runs it before all runs that have not begun yet, and waits for it.
  ClientRun run(const Orders& orders);

  /// Forks later runs from a process started with `base`, unless their orders request places: only
  /// a separate process knows the places of calls before the first choice.
  void begin_forking(const Orders& base);
  /// Starts a process for each later run, for this reason.
  void end_forking(const std::string& why);
  /// Returns whether runs are forked. False after a fork failed.
  bool is_forking() const;
  /// Returns why runs are no longer forked, in words that follow "it"; nothing if they never were.
  std::string refusal() const;

 private:
  struct Task {
    Orders orders;
    std::promise<ClientRun> run;
  };

  std::future<ClientRun> add(const Orders& orders, bool is_next);
  void work();
  /// Waits for a requested run. Returns nothing if the crew is being destroyed.
  std::optional<Task> next_task();
  ClientRun run_by(std::optional<ForkServer>& server, const Orders& orders);
  /// Starts the server of a thread if it has none. Returns nothing if runs are not forked.
  std::optional<ClientRun> run_forked(std::optional<ForkServer>& server, const Orders& orders);
  std::optional<Orders> base() const;

  const Client& client_;
  const std::atomic<bool>& stop_;
  mutable std::mutex mutex_;  ///< Guards all members below except the threads.
  std::condition_variable is_asked_;
  std::deque<Task> tasks_;
  std::optional<Orders> base_;  ///< Settings of the process to fork; nothing if none is forked.
  std::string refusal_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace harness::client
