// SPDX-License-Identifier: Apache-2.0
// Search: makes runs of a variant until the budget is spent, and keeps one reproducer for each
// signature and window.
//
// The result depends only on the seed and the number of runs. The clock only ends a search, and the
// result says after how many runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/run/verdict.h"
#include "harness/search/minimize/minimize.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness {

struct SearchResult;
struct Finding;

struct SearchOptions {
  const StrategyInfo* strategy = nullptr;
  std::uint64_t seed = 1;
  /// If not empty, each run follows one of these tapes, and the strategy makes all other choices.
  std::span<const Tape> tapes;
  const DeviceInfo* device = nullptr;
  double second_limit = 1;  ///< Time limit for running and minimizing together; 0 = none.
  /// Additional time while there are too few runs for the claim (Verdict::too_few_runs).
  double overtime_seconds = 0;
  std::uint64_t run_limit = 0;          ///< 0 = no limit.
  bool stop_at_first = false;           ///< Stop at the first fault.
  std::size_t finding_limit = 1 << 12;  ///< Largest number of findings to keep. Runs with further
                                        ///< ones are only counted.
  int window = -1;                      ///< Faults elsewhere do not count; -1 = all do.
  bool minimize = true;
  ErrorInjection errors = ErrorInjection::on;
  Limits minimize_limits;                   ///< The limits for each finding.
  std::vector<Config> configs;              ///< Empty = all.
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside (Ctrl-C): what was found is kept.
  /// Called with each finding after its replay, and again when its reproducer changes.
  std::function<void(const Finding&)> found;
  /// Called with each run and its config.
  std::function<void(const Outcome&, const Config&)> ran;
  std::function<void(const SearchResult&)> progress;  ///< Called about every progress_seconds.
  double progress_seconds = 0.25;
  /// Called when the search changes from running to minimizing, and back.
  std::function<void(bool is_minimizing)> turned;
};

/// One bug: all faults with one signature in one window.
struct Finding {
  std::string signature;
  Fault fault;  ///< The fault in the run that was kept.
  int window = -1;
  Label hazard;  ///< See hazard_of().
  /// A replay differed from the run that showed the finding, which is a bug of the harness.
  bool nondeterministic = false;
  bool is_minimized = false;    ///< Whether minimizing ended within its limits.
  std::uint64_t first_run = 0;  ///< Counted from 1.
  double first_seconds = 0;
  std::uint64_t count = 0;  ///< Runs that showed the finding.
  Reproducer found;         ///< The run with the fewest ops that showed the finding, before
                            ///< minimizing.
  Reproducer reproducer;    ///< The smallest known case, minimized as far as requested and
                            ///< possible.
  Minimized minimized;
};

struct ConfigTally {
  Config config;
  Tally tally;
};

struct WindowTally {
  std::uint64_t reached = 0;  ///< Runs.
  std::uint64_t caught = 0;
};

/// A row of the table of a variant: a window by one way in, or a kind of fault without a window.
struct StandingRow {
  Label hazard;
  Label way;                 ///< Empty if there is one.
  bool claimed = false;      ///< The claim names it.
  bool unexplained = false;  ///< A fault of a kind that has a window, which no rule of the scenario
                             ///< assigns to one.
  Arrivals arrivals;
  Standing standing = Standing::never_reached;

  /// Returns the hazard, with the way in if there are several: "window/way".
  std::string name() const;
};

struct HazardTally {
  Label hazard;
  std::uint64_t runs = 0;  ///< Runs that failed by it first: later faults may follow from the
                           ///< first.
};

struct SearchResult {
  const Scenario* scenario = nullptr;
  std::size_t variant = 0;
  Claim claim;  ///< The claim that was judged: the variant's, or its part for one window.
  std::uint64_t seed = 0;
  Tally tally;  ///< The sum over all configs.
  std::vector<ConfigTally> configs;
  std::vector<WindowTally> windows;      ///< Rows in the order of the scenario.
  std::vector<std::uint64_t> ops;        ///< Runs in which the op ran, as the scenario lists them.
  std::vector<HazardTally> hazards;      ///< Hazards of first faults, in order of appearance.
  std::vector<StandingRow> rows;         ///< Windows in the scenario's order, then kinds of fault.
  std::vector<Finding> findings;         ///< Findings in the order in which they were found.
  std::uint64_t further_signatures = 0;  ///< Runs with a fault that did not fit into `findings`.
  std::uint64_t caller_error_runs = 0;
  std::uint64_t turns = 0;
  std::uint64_t questions = 0;
  std::uint64_t first_fault_run = 0;  ///< Counted from 1; 0 = none.
  double seconds = 0;                 ///< Running time, without minimizing.
  double first_fault_seconds = 0;
  double minimize_seconds = 0;
  bool stopped = false;           ///< The search was stopped from outside.
  bool cut_short = false;         ///< Time ran out before all findings were minimized.
  bool nondeterministic = false;  ///< A finding did not replay as the same run.
  Verdict verdict = Verdict::too_few_runs;

  /// Returns the counts of each config, in the order of the configs.
  std::vector<Tally> config_tallies() const;
  /// Returns the names of the rows with this standing.
  std::vector<std::string> names_of(Standing standing) const;
};

/// Returns the name of the fault in a claim: its window, or its kind if it has none.
Label hazard_of(const Scenario& scenario, const Fault& fault, int window);

/// Errors: as Runner::run.
SearchResult search(Runner& runner, const Scenario& scenario, std::size_t variant,
                    const SearchOptions& options);

}  // namespace harness
