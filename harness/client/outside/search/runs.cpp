// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace harness::client {
namespace {

constexpr double kShortestLimit = 2;   ///< Least time limit of a run, in seconds.
constexpr double kTimesLongest = 100;  ///< Least ratio of the limit to the longest run.

}  // namespace

Runs::Runs(const SearchOptions& options, SearchWatcher& watcher, const std::atomic<bool>& stop,
           SearchResult& result)
    : options_(options),
      watcher_(watcher),
      stop_(stop),
      result_(result),
      answers_(options.strategy->make(options.seed)),
      crew_(options.client, stop, options.jobs) {}

double Runs::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

bool Runs::has_budget() const {
  if (stop_.load()) return false;
  if (options_.runs != 0 && result_.run_count + begun_.size() >= options_.runs) return false;
  return options_.seconds == 0 || seconds() < options_.seconds;
}

Orders Runs::orders() const {
  Orders orders;
  orders.fails = options_.fails;
  orders.pedantic = options_.pedantic;
  orders.forces = options_.forces;
  orders.limit_seconds = limit_seconds();
  return orders;
}

/// Returns the time limit of a run in seconds; 0 for the client's limit.
double Runs::limit_seconds() const {
  const double limit = std::max(kShortestLimit, kTimesLongest * longest_seconds_);
  return longest_seconds_ == 0 || limit >= options_.client.timeout_seconds ? 0 : limit;
}

bool Runs::begin_next() {
  Orders next = orders();
  if (!answers_->next(next)) return false;
  begun_.push_back({next, crew_.begin(next)});
  return true;
}

bool Runs::begin_some() {
  while (begun_.size() < options_.jobs && has_budget() && begin_next()) {
  }
  return !begun_.empty();
}

ClientRun Runs::end_first() {
  Begun first = std::move(begun_.front());
  ClientRun run = as_alone(first.orders, first.run.get());
  last_orders_ = first.orders;
  begun_.pop_front();
  answers_->ran(run);
  return run;
}

ClientRun Runs::further(const char* doing, const Orders& orders) {
  watcher_.progress(result_, doing, seconds());
  ++result_.further_runs;
  return as_alone(orders, crew_.run(orders));
}

ClientRun Runs::further(const Tape& tape) {
  Orders wanted = orders();
  wanted.tape = tape;
  ++result_.further_runs;
  return as_alone(wanted, crew_.run(wanted));
}

std::string Runs::complaint_of(const ClientRun& run) const {
  return run.own_failure(options_.client.timeout_seconds);
}

/// Returns the run. If forks of the program fail under any choices, returns a repetition in a
/// separate process instead. Checked for the first run with each complaint.
ClientRun Runs::as_alone(const Orders& orders, ClientRun run) {
  if (run.ended.hang.empty()) longest_seconds_ = std::max(longest_seconds_, run.ended.seconds);
  const std::string complaint = complaint_of(run);
  if (!run.is_forked || complaint.empty() || run.ended.stopped || is_known(complaint) ||
      !fails_in_forks_.insert(complaint).second)
    return run;
  const ClientRun plain = crew_.run(this->orders());
  if (complaint_of(plain) != complaint) return run;
  ClientRun alone = run_client(options_.client, orders, stop_);
  if (complaint_of(alone) == complaint) return run;
  crew_.end_forking(fmt::format("a forked run {}, and a separate process does not", complaint));
  return alone;
}

bool Runs::is_known(const std::string& complaint) const {
  return std::ranges::any_of(result_.failures,
                             [&](const OwnFailure& known) { return known.complaint == complaint; });
}

void Runs::conclude() {
  result_.is_served = crew_.is_forking();
  result_.no_server = crew_.refusal();
  result_.tried_whole = answers_->tried_whole();
}

}  // namespace harness::client
