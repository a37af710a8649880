// SPDX-License-Identifier: Apache-2.0
// How it works. One strategy serves all runs; configs take turns. Of the runs that show a bug, the
// ones with the fewest ops are kept, because small cases minimize best. Minimizing comes after
// running, so that it does not slow down the search, and has a share of the time. Time that it does
// not need goes back to running, and so on until the time is up.
#include "harness/search/search.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/core/fault/kinds.h"
#include "harness/search/around_tapes.h"
#include "harness/search/arrivals.h"
#include "harness/search/keeper.h"
#include "harness/search/minimizer.h"

namespace harness {
namespace {

using searching::Clock;

/// Share of the remaining time for running, if there may be something to minimize.
constexpr double kRunShare = 0.6;
constexpr double kLeastShare = 0.01;  ///< Share of the total time. A smaller remainder is not
                                      ///< divided any more.

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Searcher {
 public:
  Searcher(Runner& runner, const Scenario& scenario, std::size_t variant,
           const SearchOptions& options)
      : runner_(runner),
        scenario_(scenario),
        options_(options),
        keeper_(runner, options, result_),
        minimizer_(runner, options, result_, keeper_) {
    result_.scenario = &scenario;
    result_.variant = variant;
    result_.seed = options.seed;
    const Claim& claim = scenario.variants[variant].claim;
    result_.claim = options.window < 0
                        ? claim
                        : claim_in(claim, scenario.windows[std::size_t(options.window)].name);
    arrivals_ = searching::ArrivalCounts(scenario, options.window);
    result_.windows.resize(scenario.windows.size());
    result_.ops.resize(scenario.ops.size());
    for (const Config& config : options.configs) result_.configs.push_back({config, {}});
    for (std::size_t i = 0; options.configs.empty() && i < config_count(scenario); ++i)
      result_.configs.push_back({config_at(scenario, i), {}});
  }

  SearchResult search() {
    std::unique_ptr<Strategy> strategy = options_.strategy->make(options_.seed);
    if (!options_.tapes.empty())
      strategy = std::make_unique<searching::AroundTapes>(std::move(strategy), options_.tapes,
                                                          options_.seed);
    begin_ = Clock::now();
    do {
      run_share(*strategy);
      minimize_share();
    } while (!ended_ && seconds_left() > kLeastShare * options_.second_limit);
    conclude();
    return std::move(result_);
  }

 private:
  // ---- time ----

  double seconds_left() const { return options_.second_limit - seconds_since(begin_); }
  /// Returns the time spent on running so far.
  double seconds_run() const { return earlier_seconds_ + seconds_since(share_begin_); }

  void run_share(Strategy& strategy) {
    if (options_.turned) options_.turned(false);
    const double share = options_.minimize ? kRunShare : 1;
    const double until = seconds_since(begin_) + share * std::max(0.0, seconds_left());
    share_begin_ = Clock::now();
    while (!spent(until)) run_once(strategy);
    earlier_seconds_ = result_.seconds = seconds_run();
  }

  bool stop_requested() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  bool spent(double until) {
    const std::uint64_t runs = result_.tally.runs;
    if (options_.run_limit != 0 && runs >= options_.run_limit) return ended_ = true;
    if (options_.stop_at_first && result_.first_fault_run != 0) return ended_ = true;
    if ((runs & 15) != 0 && !was_endless_) return false;
    if (stop_requested()) return result_.stopped = ended_ = true;
    show_progress();
    return options_.second_limit != 0 && seconds_since(begin_) >= until && !in_overtime();
  }

  bool in_overtime() const {
    return seconds_left() + options_.overtime_seconds > 0 &&
           judge(result_.claim, result_.config_tallies()) == Verdict::too_few_runs;
  }

  void show_progress() {
    result_.seconds = seconds_run();
    if (!options_.progress || result_.seconds < next_progress_) return;
    next_progress_ = result_.seconds + options_.progress_seconds;
    options_.progress(result_);
  }

  void minimize_share() {
    if (!options_.minimize) return;
    if (options_.turned) options_.turned(true);
    const Clock::time_point begin = Clock::now();
    std::optional<Clock::time_point> deadline;
    if (options_.second_limit != 0)
      deadline = begin + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(seconds_left()));
    result_.cut_short = !minimizer_.run(deadline) && !stop_requested();
    result_.minimize_seconds += seconds_since(begin);
  }

  // ---- running ----

  void run_once(Strategy& strategy) {
    ConfigTally& config = result_.configs[result_.tally.runs % result_.configs.size()];
    const Outcome& outcome = runner_.run(scenario_, result_.variant, config.config,
                                         *options_.device, strategy, options_.errors);
    was_endless_ = outcome.endless;
    if (options_.ran) options_.ran(outcome, config.config);
    const bool failed = count_faults(outcome);
    add(result_.tally, outcome, failed);
    add(config.tally, outcome, failed);
    arrivals_.take_in(outcome);
    result_.turns += outcome.turns;
    result_.questions += outcome.question_count;
    result_.caller_error_runs += !outcome.caller_errors.empty();
    for (const std::size_t op : outcome.ops) ++result_.ops[op];
    for (const std::size_t window : outcome.reached | windows_of(outcome))
      ++result_.windows[window].reached;
    if (failed) take_in(outcome, config.config);
  }

  static void add(Tally& tally, const Outcome& outcome, bool failed) {
    ++tally.runs;
    tally.vacuous_runs += outcome.vacuous;
    tally.faulty_runs += failed;
  }

  /// Returns the windows of the faults that count.
  WindowSet windows_of(const Outcome& outcome) const {
    if (options_.window < 0) return outcome.failed_windows();
    WindowSet only;
    only.insert(static_cast<std::size_t>(options_.window));
    return outcome.failed_windows() & only;
  }

  /// Counts each window once per run, and the hazard of the run's first fault: later faults may
  /// follow from it. Returns whether there is a fault that counts.
  bool count_faults(const Outcome& outcome) {
    bool failed = false;
    for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
      const int window = outcome.windows[i];
      if (options_.window >= 0 && window != options_.window) continue;
      if (!std::exchange(failed, true)) count(hazard_of(scenario_, outcome.faults[i], window));
    }
    for (const std::size_t window : windows_of(outcome)) ++result_.windows[window].caught;
    return failed;
  }

  void count(Label hazard) {
    auto row = std::find_if(result_.hazards.begin(), result_.hazards.end(),
                            [&](const HazardTally& known) { return known.hazard == hazard; });
    if (row == result_.hazards.end()) row = result_.hazards.insert(row, {hazard, 0});
    ++row->runs;
  }

  void take_in(const Outcome& outcome, const Config& config) {
    if (result_.first_fault_run == 0) {
      result_.first_fault_run = result_.tally.runs;
      result_.first_fault_seconds = seconds_run();
    }
    keeper_.take_in(outcome, config, seconds_run());
  }

  void conclude() {
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      if (!result_.findings[i].minimized.reproduced) keeper_.take_smallest(i);
      keeper_.tell(i);
    }
    result_.stopped |= stop_requested();
    result_.verdict = judge(result_.claim, result_.config_tallies());
    result_.rows = arrivals_.rows(result_.claim);
  }

  Runner& runner_;
  const Scenario& scenario_;
  const SearchOptions& options_;
  SearchResult result_;
  searching::Keeper keeper_;
  searching::Minimizer minimizer_;
  searching::ArrivalCounts arrivals_;
  Clock::time_point begin_;        ///< The time at which the search began.
  Clock::time_point share_begin_;  ///< The time at which the current share of running began.
  double earlier_seconds_ = 0;     ///< Time spent on running in earlier shares.
  double next_progress_ = 0;
  bool was_endless_ = false;  ///< Whether the last run was endless, so that it took seconds.
  bool ended_ = false;        ///< Whether the search ended for a reason other than time.
};

}  // namespace

std::vector<Tally> SearchResult::config_tallies() const {
  std::vector<Tally> tallies;
  tallies.reserve(configs.size());
  for (const ConfigTally& config : configs) tallies.push_back(config.tally);
  return tallies;
}

std::vector<std::string> SearchResult::names_of(Standing standing) const {
  std::vector<std::string> names;
  for (const StandingRow& row : rows)
    if (row.standing == standing) names.push_back(row.name());
  return names;
}

std::string StandingRow::name() const {
  std::string text(hazard.view());
  if (!way.empty()) text += "/" + std::string(way.view());
  return text;
}

Label hazard_of(const Scenario& scenario, const Fault& fault, int window) {
  return window >= 0 ? scenario.windows[static_cast<std::size_t>(window)].name
                     : to_label(fault.kind);
}

SearchResult search(Runner& runner, const Scenario& scenario, std::size_t variant,
                    const SearchOptions& options) {
  HARNESS_CHECK(options.strategy != nullptr && options.device != nullptr, "a search needs both");
  return Searcher(runner, scenario, variant, options).search();
}

}  // namespace harness
