// Search: runs a client again and again, each time with other answers, and makes of each fault that
// shows a finding: the fewest answers that it takes, and where in the program it happens.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/client/client.h"
#include "harness/client/finding.h"
#include "harness/client/report.h"
#include "harness/client/search/answers.h"
#include "harness/client/search/explored.h"
#include "harness/client/search/failing_runs.h"
#include "harness/client/suppressions.h"

namespace harness::client {

/// A fault by the documentation alone, which drivers of today do not show.
struct PedanticNote {
  ToldFault fault;  ///< With places.
  std::uint64_t run_count = 0;
};

/// An end of the program that none of our faults explains.
struct OwnFailure {
  std::string complaint;
  std::string last_call;  ///< Says how far the first such run got, or nothing.
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
  bool forks = true;          ///< Runs are forked at the first question, where that can be done.
  bool fails = false;         ///< Calls that may fail are told to.
  bool pedantic = false;      ///< Faults by the documentation alone are findings, too.
  bool forces = false;        ///< Python is asked what its version cannot come to by itself, too.
  unsigned jobs = 1;          ///< So many runs at a time; one where the strategy looks back.
  bool may_not_call = false;  ///< Nobody asks why our driver was not called.
};

struct SearchResult {
  SearchOptions options;
  std::uint64_t run_count = 0;     ///< With the plain one; without those that minimize.
  std::uint64_t further_runs = 0;  ///< Those that minimized and replayed.
  std::uint64_t call_count = 0;    ///< Number of CUDA calls in the plain run.
  bool has_python = false;
  unsigned tried_whole = 0;  ///< Every set of at most so many decisions was tried.
  bool stopped = false;
  bool fixed_addresses = true;  ///< The same ones in each run.
  std::string not_ours;  ///< The reason why our driver was not called, in words that follow "it".
  std::string note;      ///< A sentence that the user should read, or nothing.
  std::string refusal;   ///< Says why no run of the program can be judged, or nothing.
  bool needs_runtime = false;  ///< It asks for the CUDA runtime's tables, and did nothing else.
  bool is_served = false;      ///< Runs were forked at the first question.
  std::string no_server;  ///< The reason why not, where it was tried, in words that follow "it".
  std::vector<Finding> findings;       ///< Without those that are suppressed.
  std::vector<PedanticNote> pedantic;  ///< Where they are no findings.
  std::vector<OwnFailure> failures;
  std::vector<SurvivedError> survived;  ///< Without those that are suppressed.
  Explored explored;
  std::uint64_t failed_runs = 0;    ///< So many had a call that was told to fail,
  std::uint64_t given_up_runs = 0;  ///< and so many of them ended with an exit code of their own.
  std::uint64_t forced_runs = 0;    ///< So many had something that was forced.
  std::vector<std::uint64_t> suppressed_runs;  ///< How many showed it, for each suppression.
};

/// Hears how a search goes on.
class SearchWatcher {
 public:
  virtual ~SearchWatcher() = default;
  /// The run of plain answers is over.
  virtual void plain(const ClientRun& run) = 0;
  virtual void progress(const SearchResult& result, const char* doing, double seconds) = 0;
  /// A finding is complete; one that was forced is again, where nothing needs to be.
  virtual void found(const Finding& finding) = 0;
};

/// Errors: std::runtime_error where the program cannot be started.
SearchResult search(const SearchOptions& options, SearchWatcher& watcher,
                    const std::atomic<bool>& stop);

/// Returns the orders of a run like the finding's, without its decisions.
Orders default_orders_of(const Finding& finding);

/// Returns the orders of a run that is to show the finding, and notes places.
Orders orders_of(const Finding& finding);

/// Runs the client once as the finding says.
ClientRun replay(const Client& client, const Finding& finding, const std::atomic<bool>& stop);

}  // namespace harness::client
