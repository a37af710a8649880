// How it works. One strategy answers all runs; configs take turns. A fault of a signature that is
// not yet known is replayed at once, so that a run that differs from itself is found where it
// happens. Of the many runs that show a bug, the one with the fewest ops is kept: what is small
// already minimizes best. Minimizing comes after the running, so that it costs the search nothing.
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
    for (std::size_t i = 0; i < result_.findings.size(); ++i)
      take_smallest(result_.findings[i], seen_[i].smallest.front());
    if (options_.minimize) minimize_all();
    result_.verdict = judge(scenario_.variants[result_.variant].claim, result_.tally);
    return std::move(result_);
  }

 private:
  using Size = std::pair<std::ptrdiff_t, std::size_t>;  ///< Ops, then decisions.

  struct Sample {
    Size size;
    Config config;
    Tape tape;
  };

  /// Which runs showed a bug.
  struct Seen {
    std::uint64_t last_run = 0;
    std::vector<Sample> smallest;  ///< The smallest few, ascending.
  };
  static constexpr std::size_t kSampleLimit = 3;

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
        count(*known, outcome, config);
      else if (result_.findings.size() < options_.finding_limit)
        add_finding(i, outcome, config);
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
  void count(Finding& finding, const Outcome& outcome, const Config& config) {
    Seen& seen = seen_[static_cast<std::size_t>(&finding - result_.findings.data())];
    if (std::exchange(seen.last_run, result_.tally.runs) == result_.tally.runs) return;
    ++finding.count;
    keep_if_small(seen.smallest, size_of(outcome.tape), outcome.tape, config);
  }

  static void keep_if_small(std::vector<Sample>& smallest, Size size, const Tape& tape,
                            const Config& config) {
    const auto place = std::upper_bound(smallest.begin(), smallest.end(), size,
                                        [](const Size& a, const Sample& b) { return a < b.size; });
    if (place == smallest.end() && smallest.size() == kSampleLimit) return;
    smallest.insert(place, {size, config, tape});
    if (smallest.size() > kSampleLimit) smallest.pop_back();
  }

  static Size size_of(const Tape& tape) {
    const auto is_op = [](const Decision& decision) {
      return decision.site_tag == site_tag(Site::op);
    };
    return {std::count_if(tape.begin(), tape.end(), is_op), tape.size()};
  }

  void add_finding(std::size_t index, const Outcome& outcome, const Config& config) {
    const Fault& fault = outcome.faults[index];
    Finding& finding = result_.findings.emplace_back();
    finding.signature = fault.signature();
    finding.fault = fault;
    finding.window = outcome.windows[index];
    finding.first_run = result_.tally.runs;
    finding.first_seconds = seconds_since(begin_);
    fresh_.push_back(result_.findings.size() - 1);
    seen_.emplace_back();
    count(finding, outcome, config);
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

  Case case_of(const Sample& sample) const {
    return {&scenario_, result_.variant, sample.config, options_.device, sample.tape};
  }

  /// The smallest run that showed the bug takes the place of the first.
  void take_smallest(Finding& finding, const Sample& sample) {
    if (finding.nondeterministic || sample.tape == finding.found.the_case.tape) return;
    const Case the_case = case_of(sample);
    const Outcome& outcome = runner_.run(the_case);
    const auto shown =
        std::find_if(outcome.faults.begin(), outcome.faults.end(),
                     [&](const Fault& fault) { return same_bug(fault, finding.fault); });
    finding.nondeterministic = shown == outcome.faults.end();
    result_.nondeterministic |= finding.nondeterministic;
    if (finding.nondeterministic) return;
    finding.fault = *shown;
    finding.found = finding.reproducer = describe(runner_, outcome, the_case);
  }

  // ---- minimizing ----

  /// Often enough for a fixpoint.
  static constexpr int kRoundLimit = 4;
  /// What is small enough not to try from another run.
  static constexpr std::size_t kFewOps = 5;
  static constexpr std::size_t kFewDecisions = 6;

  void minimize_all() {
    begin_ = Clock::now();
    for (std::size_t i = 0; i < result_.findings.size(); ++i)
      if (!result_.findings[i].nondeterministic)
        minimize_one(result_.findings[i], seen_[i].smallest);
    result_.minimize_seconds = seconds_since(begin_);
  }

  bool done_minimizing() const {
    const double limit = options_.minimize_second_limit;
    return told_to_stop() || (limit != 0 && seconds_since(begin_) >= limit);
  }

  // Each run leads to a local minimum of its own; the smallest counts.
  void minimize_one(Finding& finding, const std::vector<Sample>& samples) {
    const Sample* best = nullptr;
    for (const Sample& sample : samples) {
      if (done_minimizing()) break;
      const Minimized result = minimize_fully(case_of(sample), finding.signature);
      if (!result.deterministic || (best != nullptr && !is_smaller(result, finding.minimized)))
        continue;
      best = &sample;
      finding.minimized = result;
      if (result.op_count <= kFewOps && result.decision_count <= kFewDecisions) break;
    }
    if (best == nullptr) return;
    take_smallest(finding, *best);
    const Case& the_case = finding.minimized.the_case;
    finding.reproducer = describe(runner_, runner_.run(the_case), the_case);
  }

  static bool is_smaller(const Minimized& a, const Minimized& b) {
    return std::pair(a.op_count, a.decision_count) < std::pair(b.op_count, b.decision_count);
  }

  Minimized minimize_fully(Case the_case, const std::string& signature) {
    Limits limits = options_.minimize_limits;
    limits.stop = options_.stop;
    Minimized result;
    for (int i = 0; i < kRoundLimit && !result.finished && !done_minimizing(); ++i) {
      result = minimize(runner_, the_case, signature, limits);
      if (!result.deterministic) break;
      the_case = result.the_case;
    }
    return result;
  }

  Runner& runner_;
  const Scenario& scenario_;
  const SearchOptions& options_;
  SearchResult result_;
  Clock::time_point begin_;
  double next_progress_ = 0;
  std::vector<std::size_t> fresh_;  ///< Findings that the run being taken in added.
  std::vector<Seen> seen_;          ///< Of each finding.
};

}  // namespace

SearchResult search(Runner& runner, const Scenario& scenario, std::size_t variant,
                    const SearchOptions& options) {
  HARNESS_CHECK(options.strategy != nullptr && options.device != nullptr, "a search needs both");
  return Searcher(runner, scenario, variant, options).search();
}

}  // namespace harness
