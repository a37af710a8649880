// Search: runs a claim until the budget is spent, and keeps one reproducer per signature.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/minimize.h"
#include "harness/reproducer.h"

namespace harness {

struct SearchResult;

struct SearchOptions {
  const StrategyInfo* strategy = nullptr;
  std::uint64_t seed = 1;
  const DeviceInfo* device = nullptr;
  double second_limit = 1;         ///< 0 = no limit.
  std::uint64_t run_limit = 0;     ///< 0 = no limit.
  bool stop_at_first = false;      ///< ... fault.
  std::size_t finding_limit = 32;  ///< Signatures to keep; more are only counted.
  bool minimize = true;
  Limits minimize_limits;  ///< Of each finding.
  /// Of all findings together; what is left over stays as found. 0 = no limit.
  double minimize_second_limit = 0;
  std::vector<Config> configs;              ///< Empty = all.
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside (Ctrl-C): what was found is kept.
  std::function<void(const SearchResult&)> progress;  ///< Called about every progress_seconds.
  double progress_seconds = 0.25;
};

/// One bug: all faults with one signature.
struct Finding {
  std::string signature;
  Fault fault;  ///< In the run that was kept.
  int window = -1;
  bool nondeterministic =
      false;  ///< Replaying its first run gave another run: the harness is at fault.
  std::uint64_t first_run = 0;  ///< Counted from 1.
  double first_seconds = 0;
  std::uint64_t count = 0;  ///< Runs that showed it.
  Reproducer found;         ///< As found, in the run with the fewest ops that showed it.
  Reproducer reproducer;    ///< Minimized, where that was asked for and worked.
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

struct SearchResult {
  const Scenario* scenario = nullptr;
  std::size_t variant = 0;
  std::uint64_t seed = 0;
  Tally tally;  ///< Of all configs.
  std::vector<ConfigTally> configs;
  std::vector<WindowTally> windows;      ///< As the scenario lists them.
  std::vector<std::uint64_t> ops;        ///< Runs in which the op ran, as the scenario lists them.
  std::vector<Finding> findings;         ///< In the order they were found.
  std::uint64_t further_signatures = 0;  ///< Runs with a fault that found no place in `findings`.
  std::uint64_t caller_error_runs = 0;
  std::uint64_t turns = 0;
  std::uint64_t questions = 0;
  std::uint64_t first_fault_run = 0;  ///< Counted from 1; 0 = none.
  double seconds = 0;                 ///< Of running; minimizing is apart.
  double first_fault_seconds = 0;
  double minimize_seconds = 0;
  bool stopped = false;           ///< From outside.
  bool nondeterministic = false;  ///< Of some finding.
  Verdict verdict = Verdict::vacuous;
};

/// Errors: as Runner::run.
SearchResult search(Runner& runner, const Scenario& scenario, std::size_t variant,
                    const SearchOptions& options);

}  // namespace harness
