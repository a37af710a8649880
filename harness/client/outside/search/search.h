// SPDX-License-Identifier: Apache-2.0
// Search: runs a client many times with different choices, and turns each fault into a finding with
// the fewest choices and its places in the program.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/client/border/report.h"
#include "harness/client/outside/client.h"
#include "harness/client/outside/finding.h"
#include "harness/client/outside/search/answers.h"
#include "harness/client/outside/search/explored.h"
#include "harness/client/outside/search/failing_runs.h"
#include "harness/client/outside/suppressions.h"

namespace harness::client {

/// A fault by the documentation alone, which current drivers do not show.
struct PedanticNote {
  ToldFault fault;  ///< The fault with places.
  std::uint64_t run_count = 0;
};

/// A bad end of the program that no fault explains.
struct OwnFailure {
  std::string complaint;
  std::string last_call;  ///< The progress of the first such run, or nothing.
  std::uint64_t run = 0;
  std::uint64_t run_count = 0;
};

struct SearchOptions {
  Client client;
  const AnswersInfo* strategy = &all_answers().front();
  std::uint64_t seed = 1;
  std::uint64_t runs = 0;  ///< 0 = until `seconds`.
  double seconds = 0;      ///< 0 = until `runs`.
  Suppressions suppressions;
  bool forks = true;      ///< Forks runs at the first choice, if possible.
  bool fails = false;     ///< Injects errors into calls that may fail.
  bool pedantic = false;  ///< Also reports faults by the documentation alone.
  bool forces = false;    ///< Also makes choices that this version of Python cannot make by itself.
  unsigned jobs = 1;      ///< Number of concurrent runs; one if the strategy looks back.
  bool may_not_call = false;  ///< The program need not call our driver.
};

struct SearchResult {
  SearchOptions options;
  std::uint64_t run_count = 0;     ///< Includes the default run, but not runs of the minimizer.
  std::uint64_t further_runs = 0;  ///< Runs for minimizing and replaying.
  std::uint64_t call_count = 0;    ///< Number of CUDA calls in the default run.
  bool has_python = false;
  unsigned tried_whole = 0;  ///< Every set of at most this many choices was tried.
  bool stopped = false;
  bool fixed_addresses = true;  ///< The default run has the same errors with the same addresses.
  std::string not_ours;  ///< The reason why our driver was not called, in words that follow "it".
  std::string note;      ///< A sentence that the user should read, or nothing.
  std::string refusal;   ///< Says why no run of the program can be judged, or nothing.
  bool needs_runtime = false;  ///< It only asked for the CUDA runtime's tables.
  bool is_served = false;      ///< Runs were forked at the first choice.
  std::string no_server;  ///< The reason why not, in words that follow "it"; "" if not attempted.
  std::vector<Finding> findings;       ///< Without those that are suppressed.
  std::vector<PedanticNote> pedantic;  ///< Pedantic faults, if they do not count as findings.
  std::vector<OwnFailure> failures;
  std::vector<SurvivedError> survived;  ///< Without those that are suppressed.
  Explored explored;
  std::uint64_t failed_runs = 0;               ///< Number of runs with an injected error.
  std::uint64_t given_up_runs = 0;             ///< Number of those that ended with an exit code.
  std::uint64_t forced_runs = 0;               ///< Number of runs with a forced choice.
  std::vector<std::uint64_t> suppressed_runs;  ///< Number of runs for each suppression.
};

/// Receives the progress of a search.
class SearchWatcher {
 public:
  virtual ~SearchWatcher() = default;
  /// The default run is over.
  virtual void plain(const ClientRun& run) = 0;
  virtual void progress(const SearchResult& result, const char* doing, double seconds) = 0;
  /// A finding is complete. Called again if a finding turns out not to need forced choices, or if
  /// another one replaces it, which then has it as a face.
  virtual void found(const Finding& finding) = 0;
};

/// Errors: std::runtime_error if the program cannot be started.
SearchResult search(const SearchOptions& options, SearchWatcher& watcher,
                    const std::atomic<bool>& stop);

/// Returns the orders of a run like that of the finding, without its choices.
Orders default_orders_of(const Finding& finding);

/// Returns the orders of a run that shows the finding and records places.
Orders orders_of(const Finding& finding);

/// Runs the client once with the choices of the finding.
ClientRun replay(const Client& client, const Finding& finding, const std::atomic<bool>& stop);

}  // namespace harness::client
