// How it works. One strategy answers all runs; configs take turns. A fault of a signature that is
// not yet known is replayed at once, so that a run that differs from itself is found where it
// happens; the minimizing comes after the running, so that it costs the search nothing.
#include "harness/search.h"

#include <algorithm>
#include <chrono>

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool same_bug(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.object_kind == b.object_kind && a.birth_site == b.birth_site &&
         a.death_site == b.death_site && a.use_site == b.use_site;
}

class Searcher {
 public:
  Searcher(Runner& runner, const Scenario& scenario, std::size_t variant,
           const SearchOptions& options)
      : runner_(runner), scenario_(scenario), options_(options) {
    result_.scenario = &scenario;
    result_.variant = variant;
    result_.seed = options.seed;
    result_.windows.resize(scenario.windows.size());
    result_.ops.resize(scenario.ops.size());
    for (const Config& config : options.configs) result_.configs.push_back({config, {}});
    for (std::size_t i = 0; options.configs.empty() && i < config_count(scenario); ++i)
      result_.configs.push_back({config_at(scenario, i), {}});
  }

  SearchResult search() {
    const std::unique_ptr<Strategy> strategy = options_.strategy->make(options_.seed);
    begin_ = Clock::now();
    while (!spent()) run_once(*strategy);
    result_.seconds = seconds_since(begin_);
    if (options_.minimize) minimize_all();
    result_.verdict = judge(scenario_.variants[result_.variant].claim, result_.tally);
    return std::move(result_);
  }

 private:
  bool told_to_stop() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  bool spent() {
    const std::uint64_t runs = result_.tally.runs;
    if (options_.run_limit != 0 && runs >= options_.run_limit) return true;
    if (options_.stop_at_first && result_.first_fault_run != 0) return true;
    if ((runs & 15) != 0) return false;
    if (told_to_stop()) return result_.stopped = true;
    result_.seconds = seconds_since(begin_);
    if (options_.progress && result_.seconds >= next_progress_) {
      next_progress_ = result_.seconds + options_.progress_seconds;
      options_.progress(result_);
    }
    return options_.second_limit != 0 && result_.seconds >= options_.second_limit;
  }

  void run_once(Strategy& strategy) {
    ConfigTally& config = result_.configs[result_.tally.runs % result_.configs.size()];
    const Outcome& outcome =
        runner_.run(scenario_, result_.variant, config.config, *options_.device, strategy);
    add(result_.tally, outcome);
    add(config.tally, outcome);
    result_.turns += outcome.turns;
    result_.questions += outcome.question_count;
    result_.caller_error_runs += !outcome.caller_errors.empty();
    count_bits(outcome);
    if (outcome.failed()) take_in(outcome, config.config);
  }

  static void add(Tally& tally, const Outcome& outcome) {
    ++tally.runs;
    tally.vacuous_runs += outcome.vacuous;
    tally.faulty_runs += outcome.failed();
  }

  void count_bits(const Outcome& outcome) {
    for (std::size_t i = 0; i < result_.windows.size(); ++i) {
      result_.windows[i].reached += (outcome.reached >> i) & 1;
      result_.windows[i].caught += std::find(outcome.windows.begin(), outcome.windows.end(),
                                             int(i)) != outcome.windows.end();
    }
    for (std::size_t i = 0; i < result_.ops.size(); ++i) result_.ops[i] += (outcome.ops >> i) & 1;
  }

  // ---- findings ----

  void take_in(const Outcome& outcome, const Config& config) {
    if (result_.first_fault_run == 0) {
      result_.first_fault_run = result_.tally.runs;
      result_.first_fault_seconds = seconds_since(begin_);
    }
    fresh_.clear();
    bool overflow = false;
    for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
      if (const auto known = find_finding(outcome.faults[i]); known != nullptr)
        count(*known);
      else if (result_.findings.size() < options_.finding_limit)
        add_finding(outcome.faults[i], outcome.windows[i]);
      else
        overflow = true;
    }
    result_.further_signatures += overflow;
    if (!fresh_.empty()) confirm(outcome, config);
  }

  Finding* find_finding(const Fault& fault) {
    for (Finding& finding : result_.findings)
      if (same_bug(finding.fault, fault)) return &finding;
    return nullptr;
  }

  // A run counts once, however often it shows the bug.
  void count(Finding& finding) {
    const auto index = static_cast<std::size_t>(&finding - result_.findings.data());
    last_run_.resize(result_.findings.size());
    if (std::exchange(last_run_[index], result_.tally.runs) != result_.tally.runs) ++finding.count;
  }

  void add_finding(const Fault& fault, int window) {
    Finding& finding = result_.findings.emplace_back();
    finding.signature = fault.signature();
    finding.fault = fault;
    finding.window = window;
    finding.first_run = result_.tally.runs;
    finding.first_seconds = seconds_since(begin_);
    fresh_.push_back(result_.findings.size() - 1);
    count(finding);
  }

  /// Keeps the run as a reproducer of its new findings, and replays it.
  void confirm(const Outcome& outcome, const Config& config) {
    const Case the_case{&scenario_, result_.variant, config, options_.device, outcome.tape};
    const Reproducer reproducer = describe(runner_, outcome, the_case);
    const std::vector<Fault> faults = outcome.faults;
    const Outcome& again = runner_.run(the_case);
    const bool same = runner_.trace_hash() == reproducer.trace && again.faults == faults &&
                      again.tape == the_case.tape;
    for (const std::size_t index : fresh_) {
      Finding& finding = result_.findings[index];
      finding.found = finding.reproducer = reproducer;
      finding.nondeterministic = !same;
    }
    result_.nondeterministic |= !same;
  }

  // ---- minimizing ----

  void minimize_all() {
    const Clock::time_point begin = Clock::now();
    for (Finding& finding : result_.findings)
      if (!finding.nondeterministic && !told_to_stop()) minimize_one(finding);
    result_.minimize_seconds = seconds_since(begin);
  }

  void minimize_one(Finding& finding) {
    Limits limits = options_.minimize_limits;
    limits.stop = options_.stop;
    finding.minimized = minimize(runner_, finding.found.the_case, finding.signature, limits);
    if (!finding.minimized.deterministic) return;
    const Case& the_case = finding.minimized.the_case;
    finding.reproducer = describe(runner_, runner_.run(the_case), the_case);
  }

  Runner& runner_;
  const Scenario& scenario_;
  const SearchOptions& options_;
  SearchResult result_;
  Clock::time_point begin_;
  double next_progress_ = 0;
  std::vector<std::size_t> fresh_;       ///< Findings that the run being taken in added.
  std::vector<std::uint64_t> last_run_;  ///< In which each finding was counted.
};

}  // namespace

SearchResult search(Runner& runner, const Scenario& scenario, std::size_t variant,
                    const SearchOptions& options) {
  HARNESS_CHECK(options.strategy != nullptr && options.device != nullptr, "a search needs both");
  return Searcher(runner, scenario, variant, options).search();
}

}  // namespace harness
