// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "harness/client/outside/loaded_libraries.h"
#include "harness/client/outside/notes.h"
#include "harness/client/outside/search/complaints.h"
#include "harness/client/outside/search/completion.h"
#include "harness/client/outside/search/known_findings.h"
#include "harness/client/outside/search/runs.h"
#include "harness/client/outside/search/suppressed.h"
#include "harness/client/outside/search/suspects.h"
#include "harness/client/outside/search/tapes.h"

namespace harness::client {
namespace {

class Search {
 public:
  Search(const SearchOptions& options, SearchWatcher& watcher, const std::atomic<bool>& stop)
      : options_(options), watcher_(watcher), stop_(stop) {
    result_.fixed_addresses = can_fix_addresses();
  }

  SearchResult run() {
    runs_.begin_next();
    const ClientRun plain = runs_.end_first();
    result_.call_count = plain.call_count();
    take_notes(plain.reports, result_);
    watcher_.plain(plain);
    if (!result_.refusal.empty()) return std::move(result_);
    suspects_.expect(plain);
    plain_code_ = plain.ended.code;
    take(plain);
    if (plain.call_count() == 0 && !options_.may_not_call && !stop_.load())
      result_.not_ours = why_not_ours(options_.client, stop_);
    const bool can_be_searched = plain.call_count() != 0 && plain.ended.hang.empty();
    if (options_.forks && can_be_searched && runs_.has_budget()) runs_.begin_forking();
    while (can_be_searched && runs_.begin_some()) {
      watcher_.progress(result_, "run", runs_.seconds());
      take(runs_.end_first());
    }
    runs_.conclude();
    result_.stopped = stop_.load();
    std::ranges::copy_if(suspects_.survived(), std::back_inserter(result_.survived),
                         [this](const SurvivedError& one) { return !suppressed_.take(one.error); });
    return std::move(result_);
  }

 private:
  /// Counts a run of the search, and follows up its faults.
  void take(const ClientRun& run) {
    if (run.ended.stopped) return;
    const std::uint64_t number = result_.run_count++;
    findings_.take(run, number, plain_code_);
    take_injected(run);
    result_.explored.take(run);
    if (run.ended.outlived)
      add_note(result_,
               fmt::format("a process that the program started still held its output after "
                           "{:g} s (--timeout), and was ended",
                           options_.client.timeout_seconds));
    const std::vector<ToldDecision> all = run.decisions();
    if (std::ranges::any_of(all, &ToldDecision::is_forced)) ++result_.forced_runs;
    const std::string complaint = runs_.complaint_of(run);
    if (!suspects_.take(run, number) && !complaint.empty())
      complaints_.take(complaint, run, number);
    if (number != 0 && !stop_.load()) suspects_.take_survived(run);
  }

  void take_injected(const ClientRun& run) {
    if (run.failure() == nullptr) return;
    ++result_.failed_runs;
    if (run.ended.code > 0) ++result_.given_up_runs;
  }

  const SearchOptions& options_;
  SearchWatcher& watcher_;
  const std::atomic<bool>& stop_;
  SearchResult result_{.options = options_};
  int plain_code_ = 0;  ///< Exit code of the default run.
  Runs runs_{options_, watcher_, stop_, result_};
  Suppressed suppressed_{options_.suppressions, result_.suppressed_runs};
  const Completion completion_{
      options_.client, runs_.orders(),
      [this](const char* doing, const Orders& orders) { return runs_.further(doing, orders); },
      stop_, std::chrono::system_clock::now()};
  KnownFindings findings_{watcher_, result_, suppressed_, completion_};
  Suspects suspects_{watcher_, stop_, result_, runs_, suppressed_, completion_};
  Complaints complaints_{result_, runs_};
};

}  // namespace

SearchResult search(const SearchOptions& options, SearchWatcher& watcher,
                    const std::atomic<bool>& stop) {
  return Search(options, watcher, stop).run();
}

Orders default_orders_of(const Finding& finding) {
  Orders orders;
  orders.fails = std::ranges::any_of(finding.decisions, &ToldDecision::is_failure);
  orders.pedantic = finding.pedantic;
  orders.forces = finding.is_forced();
  orders.limit_seconds = finding.limit_seconds;
  return orders;
}

Orders orders_of(const Finding& finding) {
  Orders orders = default_orders_of(finding);
  orders.tape = tape_of(finding.decisions);
  orders.locates = orders.flushes = true;
  return orders;
}

ClientRun replay(const Client& client, const Finding& finding, const std::atomic<bool>& stop) {
  return run_client(client, orders_of(finding), stop);
}

}  // namespace harness::client
