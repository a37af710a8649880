// SPDX-License-Identifier: Apache-2.0
// Runs: makes the runs of a search, those of its strategy and further ones, within its budget.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <set>
#include <string>

#include "harness/client/outside/crew.h"
#include "harness/client/outside/search/search.h"

namespace harness::client {

/// Ownership: borrows all its arguments. Counts further runs in the result.
class Runs {
 public:
  Runs(const SearchOptions& options, SearchWatcher& watcher, const std::atomic<bool>& stop,
       SearchResult& result);

  /// Returns the time since the search began.
  double seconds() const;
  /// Returns the orders of a run without choices.
  Orders orders() const;
  /// Returns whether the budget allows another run of the strategy.
  bool has_budget() const;

  /// Starts the next run of the strategy. Returns false if there is none.
  bool begin_next();
  /// Starts runs until `jobs` are active. Returns whether any is active.
  bool begin_some();
  /// Waits for the run that began first.
  ClientRun end_first();
  /// Returns the orders of the run that ended last.
  const Orders& last_orders() const { return last_orders_; }

  /// Makes a run besides those of the strategy. `doing` describes it.
  ClientRun further(const char* doing, const Orders& orders);
  /// Makes a further run with these choices.
  ClientRun further(const Tape& tape);
  /// Returns the bad end of a run, in words; empty if it ended well.
  std::string complaint_of(const ClientRun& run) const;

  /// Forks later runs, if possible.
  void begin_forking() { crew_.begin_forking(orders()); }
  /// Takes into the result whether runs were forked, and how much the strategy has tried.
  void conclude();

 private:
  struct Begun {
    Orders orders;
    std::future<ClientRun> run;
  };

  double limit_seconds() const;
  ClientRun as_alone(const Orders& orders, ClientRun run);
  bool is_known(const std::string& complaint) const;

  const SearchOptions& options_;
  SearchWatcher& watcher_;
  const std::atomic<bool>& stop_;
  SearchResult& result_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::unique_ptr<Answers> answers_;
  std::deque<Begun>
      begun_;  ///< Runs of the strategy that are not over, in the order of their start.
  Orders last_orders_;
  double longest_seconds_ = 0;  ///< The longest time that a run took without being stopped.
  std::set<std::string> fails_in_forks_;  ///< Complaints seen in forked runs.
  Crew crew_;
};

}  // namespace harness::client
