// Crew: runs a client's program several times at once, each time in a process of its own or in a
// fork of one that stands at its first question.
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

#include "harness/client/client.h"
#include "harness/client/fork_server.h"

namespace harness::client {

/// Ownership: a thread for each run at a time, and that thread's fork server. Lifetime: its end
/// waits for runs that have begun; it borrows the client and `stop`. Threads: its functions are
/// called by one. Errors: those of run_client(), from whoever asks for the run.
class Crew {
 public:
  /// Runs at most `size` at a time, one at least.
  Crew(const Client& client, const std::atomic<bool>& stop, unsigned size);
  ~Crew();
  Crew(const Crew&) = delete;  // Its threads point at it.
  Crew& operator=(const Crew&) = delete;

  /// Has a run begin after those that were asked for before. Runs may end in another order.
  std::future<ClientRun> begin(const Orders& orders);
  /// Runs it ahead of all that have not begun, and waits for it.
  ClientRun run(const Orders& orders);

  /// From now on runs are forked from a process that is as `base` says, unless their orders want
  /// places: those of calls before the first question are known to a process of the run's own.
  void begin_forking(const Orders& base);
  /// Goes on with a process per run, for this reason.
  void end_forking(const std::string& why);
  /// Whether runs are forked: until one cannot be.
  bool is_forking() const;
  /// Says why runs are forked no longer, in words that follow "it"; nothing where they never were.
  std::string refusal() const;

 private:
  struct Task {
    Orders orders;
    std::promise<ClientRun> run;
  };

  std::future<ClientRun> add(const Orders& orders, bool is_next);
  void work();
  /// Waits for one. Returns nothing once there will be none.
  std::optional<Task> next_task();
  ClientRun run_by(std::optional<ForkServer>& server, const Orders& orders);
  /// Starts the server of a thread where it has none. Returns nothing where runs are not forked.
  std::optional<ClientRun> run_forked(std::optional<ForkServer>& server, const Orders& orders);
  std::optional<Orders> base() const;

  const Client& client_;
  const std::atomic<bool>& stop_;
  mutable std::mutex mutex_;  ///< Guards all that follows but the threads.
  std::condition_variable is_asked_;
  std::deque<Task> tasks_;
  std::optional<Orders> base_;  ///< Said to the processes that are forked, where any are.
  std::string refusal_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace harness::client
