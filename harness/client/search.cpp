#include "harness/client/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "harness/client/answers.h"
#include "harness/client/crew.h"
#include "harness/client/loaded_libraries.h"
#include "harness/client/notes.h"
#include "harness/client/shortcuts.h"
#include "harness/client/shrink.h"
#include "harness/client/unforced.h"

namespace harness::client {
namespace {

constexpr std::uint64_t kShrinkLimit = 300;    ///< Runs of the program, for one finding.
constexpr std::uint64_t kShortcutLimit = 200;  ///< Runs after that.
constexpr unsigned kReplays = 3;
constexpr unsigned kPlacingRuns = 12;   ///< For a finding that no replay shows.
constexpr unsigned kUnforcedTries = 3;  ///< For a finding that was taken to need force.

Tape tape_of(const std::vector<ToldDecision>& decisions) {
  Tape tape;
  tape.reserve(decisions.size());
  for (const ToldDecision& told : decisions) tape.push_back(told.decision);
  return tape;
}

/// Returns the decisions before the process met the fault, and all those of the other processes.
Tape tape_before(const ClientRun& run, const std::string& signature) {
  Tape tape;
  for (const Report& report : run.reports) {
    const auto met =
        std::find_if(report.faults.begin(), report.faults.end(),
                     [&](const ToldFault& fault) { return fault.signature == signature; });
    const std::size_t count =
        met != report.faults.end() ? met->decision_count : report.decisions.size();
    for (std::size_t i = 0; i < std::min(count, report.decisions.size()); ++i)
      tape.push_back(report.decisions[i].decision);
  }
  return tape;
}

/// Returns the decisions of `tape` in the words of the run that they are from. One that was given
/// another answer since has none for that.
std::vector<ToldDecision> told_of(const ClientRun& run, const Tape& tape) {
  const auto key = [](const Decision& one) {
    return std::tuple(one.activation, one.site_tag, one.nth);
  };
  std::map<std::tuple<Name, std::uint16_t, std::uint16_t>, Decision> kept;
  for (const Decision& one : tape) kept.emplace(key(one), one);
  std::vector<ToldDecision> told;
  for (ToldDecision one : run.decisions()) {
    const auto found = kept.find(key(one.decision));
    if (found == kept.end()) continue;
    if (found->second != one.decision) one.answer = "another one goes on";
    one.decision = found->second;
    told.push_back(one);
  }
  return told;
}

/// Returns the reason why what is forced in the run is.
std::string reason_of(const ClientRun& run) {
  for (const Report& report : run.reports)
    if (!report.forced.empty()) return report.forced;
  return {};
}

/// Takes the reason why the run may not repeat. Threads that call freely come first: they are one
/// for all that comes after.
void take_doubt(Finding& finding, const ClientRun& run) {
  if (finding.has_free_threads) return;
  const ToldFault* fault = run.find(finding.fault.signature);
  std::string free = fault != nullptr ? fault->free_threads : "";
  for (const Report& report : run.reports) {
    if (fault == nullptr && free.empty()) free = report.free_threads;
    if (finding.doubt.empty()) finding.doubt = report.doubt;
  }
  if (free.empty()) return;
  finding.has_free_threads = true;
  finding.doubt = free;
}

class Search {
 public:
  Search(const SearchOptions& options, SearchWatcher& watcher, const std::atomic<bool>& stop)
      : options_(options), watcher_(watcher), stop_(stop) {
    result_.options = options;
    result_.fixed_addresses = can_fix_addresses();
    result_.suppressed_runs.resize(options.suppressions.all().size());
  }

  SearchResult run() {
    begin_next();
    const ClientRun plain = end_first();
    result_.call_count = plain.call_count();
    take_notes(plain.reports, result_);
    watcher_.plain(plain);
    take(plain);
    if (plain.call_count() == 0 && !stop_.load())
      result_.not_ours = why_not_ours(options_.client, stop_);
    const bool can_be_searched = plain.call_count() != 0 && !plain.ended.timed_out;
    if (options_.forks && can_be_searched && goes_on()) crew_.begin_forking(orders());
    while (can_be_searched && begin_some()) {
      watcher_.progress(result_, "run", seconds());
      take(end_first());
    }
    result_.is_served = crew_.is_forking();
    result_.no_server = crew_.refusal();
    result_.tried_whole = answers_->tried_whole();
    result_.stopped = stop_.load();
    return std::move(result_);
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  bool goes_on() const {
    if (stop_.load()) return false;
    if (options_.runs != 0 && result_.run_count + begun_.size() >= options_.runs) return false;
    return options_.seconds == 0 || seconds() < options_.seconds;
  }

  Orders orders() const {
    Orders orders;
    orders.fails = options_.fails;
    orders.pedantic = options_.pedantic;
    orders.forces = options_.forces;
    return orders;
  }

  /// Has a run begin under the next answers of the strategy. Returns false where there are none.
  bool begin_next() {
    Orders next = orders();
    if (!answers_->next(next)) return false;
    begun_.push_back({next, crew_.begin(next)});
    return true;
  }

  /// Has as many runs begin as go at a time. Returns whether any is under way.
  bool begin_some() {
    while (begun_.size() < options_.jobs && goes_on() && begin_next()) {
    }
    return !begun_.empty();
  }

  /// Waits for the run that began first.
  ClientRun end_first() {
    Begun first = std::move(begun_.front());
    ClientRun run = as_alone(first.orders, first.run.get());
    begun_.pop_front();
    answers_->ran(run);
    return run;
  }

  Orders orders_for(const Tape& tape, bool locates) const {
    Orders told = orders();
    told.tape = tape;
    told.locates = locates;
    return told;
  }

  ClientRun run_once(const Orders& orders) { return as_alone(orders, crew_.run(orders)); }

  /// Returns the run as it is in a process of its own, where a fork ends otherwise. Asked of the
  /// first that fails by itself in some way.
  ClientRun as_alone(const Orders& orders, ClientRun run) {
    const std::string complaint = run.own_failure(options_.client.timeout_seconds);
    if (!run.is_forked || complaint.empty() || run.ended.stopped || is_known(complaint) ||
        failures_of_forcing_.contains(complaint))
      return run;
    ClientRun alone = run_client(options_.client, orders, stop_);
    if (alone.own_failure(options_.client.timeout_seconds) == complaint) return run;
    crew_.end_forking(fmt::format("a fork of it {}, and a process of its own does not", complaint));
    return alone;
  }

  bool is_known(const std::string& complaint) const {
    return std::ranges::any_of(
        result_.failures, [&](const OwnFailure& known) { return known.complaint == complaint; });
  }

  /// Counts a run of the search, and follows what it showed.
  void take(const ClientRun& run) {
    if (run.ended.stopped) return;
    const std::uint64_t number = result_.run_count++;
    for (const Report& report : run.reports)
      for (const ToldFault& fault : report.faults) take(run, fault, number);
    take_injected(run);
    if (run.ended.outlived)
      add_note(result_,
               fmt::format("a process that the program started still held its output after "
                           "{:g} s (--timeout), and was ended",
                           options_.client.timeout_seconds));
    const std::vector<ToldDecision> all = run.decisions();
    if (std::ranges::any_of(all, &ToldDecision::is_forced)) ++result_.forced_runs;
    if (const std::string complaint = run.own_failure(options_.client.timeout_seconds);
        !complaint.empty() && !is_of_watching(complaint, run))
      take_failure(told_forced(complaint, all), run.last_call(), number);
  }

  /// Says of a failure that only what is forced leads to that it does.
  std::string told_forced(const std::string& complaint, const std::vector<ToldDecision>& all) {
    const Tape tape = tape_of(all);
    if (is_known(complaint) || !has_forced(tape)) return complaint;
    const auto [known, is_new] = failures_of_forcing_.try_emplace(complaint, complaint);
    if (!is_new) return known->second;
    ++result_.further_runs;
    const ClientRun unforced = run_once(orders_for(possible_part(tape), false));
    if (unforced.own_failure(options_.client.timeout_seconds) != complaint)
      known->second += ", where something was forced";
    return known->second;
  }

  /// Returns whether the program fails so only where it is watched: a system call fails that is
  /// given memory which is watched.
  bool is_of_watching(const std::string& complaint, const ClientRun& run) {
    const std::vector<ToldDecision> all = run.decisions();
    if (is_known(complaint) || std::ranges::none_of(all, &ToldDecision::is_watch)) return false;
    const auto [known, is_new] = failures_of_watching_.try_emplace(complaint, true);
    if (!is_new) return known->second;
    std::vector<ToldDecision> others;
    std::ranges::remove_copy_if(all, std::back_inserter(others), &ToldDecision::is_watch);
    ++result_.further_runs;
    const ClientRun unwatched = run_once(orders_for(tape_of(others), false));
    known->second = unwatched.own_failure(options_.client.timeout_seconds) != complaint;
    return known->second;
  }

  void take_injected(const ClientRun& run) {
    if (run.failure() == nullptr) return;
    ++result_.failed_runs;
    if (run.ended.code > 0) ++result_.given_up_runs;
  }

  void take(const ClientRun& run, const ToldFault& fault, std::uint64_t number) {
    for (Finding& known : result_.findings)
      if (known.fault.signature == fault.signature) {
        ++known.run_count;
        if (known.is_forced()) try_unforced(known, run);
        return;
      }
    if (is_suppressed(fault)) return;
    if (!fault.pedantic.empty() && !options_.pedantic) return take_pedantic(run, fault);
    Finding& finding = result_.findings.emplace_back();
    finding.fault = fault;
    finding.run = number;
    finding.run_count = 1;
    finding.pedantic = options_.pedantic;
    complete(finding, run);
    if (is_suppressed(finding.fault))
      result_.findings.pop_back();
    else
      watcher_.found(finding);
  }

  /// Takes a run in which a finding came up without what it was taken to need.
  void try_unforced(Finding& finding, const ClientRun& run) {
    const Tape tape = tape_before(run, finding.fault.signature);
    if (has_forced(tape) || unforced_tries_[finding.fault.signature] == kUnforcedTries) return;
    ++unforced_tries_[finding.fault.signature];
    Finding possible = finding;
    complete(possible, run);
    if (possible.replay_count == 0 || !possible.repeats()) return;
    finding = std::move(possible);
    watcher_.found(finding);
  }

  /// Keeps what is told once, in the end: where it is in the program is looked for at once.
  void take_pedantic(const ClientRun& run, const ToldFault& fault) {
    for (PedanticNote& known : result_.pedantic)
      if (known.fault.signature == fault.signature) {
        ++known.run_count;
        return;
      }
    ++result_.further_runs;
    const ClientRun again = run_once(orders_for(tape_before(run, fault.signature), true));
    const ToldFault* placed = again.find(fault.signature);
    const ToldFault& told = placed != nullptr ? *placed : fault;
    if (!is_suppressed(told)) result_.pedantic.push_back({told, 1});
  }

  /// Counts a fault that the user knows of. A file's name tells nothing before places are noted.
  bool is_suppressed(const ToldFault& fault) {
    const Suppressions& known = options_.suppressions;
    const auto [by, is_new] = suppressed_.try_emplace(fault.signature, known.all().size());
    if (by->second == known.all().size()) by->second = known.find(fault);
    if (by->second == known.all().size()) return false;
    ++result_.suppressed_runs[by->second];
    return true;
  }

  void take_failure(const std::string& complaint, const std::string& last_call,
                    std::uint64_t number) {
    for (OwnFailure& known : result_.failures)
      if (known.complaint == complaint) {
        ++known.run_count;
        return;
      }
    result_.failures.push_back({complaint, last_call, number, 1});
  }

  /// Minimizes what `run` showed, and replays what is left with places noted.
  void complete(Finding& finding, const ClientRun& run) {
    const Tape least = minimize(finding, run);
    finding.forced = reason_of(run);
    finding.doubt.clear();
    finding.has_free_threads = false;
    finding.replay_count = finding.shown_count = finding.placing_count = 0;
    for (unsigned i = 0; i < kReplays && !stop_.load(); ++i) {
      ++result_.further_runs;
      const ClientRun again = run_once(orders_for(least, true));
      if (again.ended.stopped) break;
      ++finding.replay_count;
      take_doubt(finding, again);
      if (take_places(finding, again)) ++finding.shown_count;
    }
    if (!finding.repeats()) explain(finding, run, least);
    if (!finding.is_forced()) finding.forced.clear();
  }

  /// Takes the fault as a run with places has it. Returns whether it has.
  static bool take_places(Finding& finding, const ClientRun& run) {
    const ToldFault* fault = run.find(finding.fault.signature);
    if (fault == nullptr) return false;
    finding.decisions = run.decisions();
    finding.fault = ToldFault(*fault);
    finding.forced = reason_of(run);
    return true;
  }

  /// Looks why replays differ, and for the places where none showed the fault.
  void explain(Finding& finding, const ClientRun& run, const Tape& least) {
    take_doubt(finding, run);
    if (finding.shown_count == 0) find_places(finding, least);
    if (finding.has_free_threads || stop_.load()) return;
    watcher_.progress(result_, "looking why replays differ, run", seconds());
    finding.reads = look_at_reads(options_.client, orders_for(least, false),
                                  finding.fault.signature, began_, stop_);
  }

  void find_places(Finding& finding, const Tape& least) {
    while (finding.placing_count < kPlacingRuns && !stop_.load()) {
      watcher_.progress(result_, "looking for its places, run", seconds());
      ++result_.further_runs;
      ++finding.placing_count;
      if (!take_places(finding, run_once(orders_for(least, true)))) continue;
      finding.placing_count = 0;
      return;
    }
  }

  /// Returns the fewest decisions of the run that still show the fault, and as few as can be had of
  /// those that are forced. The finding has them in words.
  Tape minimize(Finding& finding, const ClientRun& run) {
    const std::string signature = finding.fault.signature;
    const auto shows = [&](const Tape& part) {
      if (stop_.load()) return false;
      watcher_.progress(result_, "minimizing, run", seconds());
      ++result_.further_runs;
      return run_once(orders_for(part, false)).find(signature) != nullptr;
    };
    const Tape all = tape_before(run, signature);
    const Tape part = shrink(shrink_forced(all, shows, kShrinkLimit), shows, kShrinkLimit);
    const Tape least = take_shortcuts(part, all, shows, kShortcutLimit);
    finding.decisions = told_of(run, least);
    if (!has_forced(least) || stop_.load()) return least;
    const Tape possible = replace_forced(least, asked_by(least), shows);
    return possible == least ? least : shrink(possible, shows, kShrinkLimit);
  }

  /// Returns the questions that a run of this tape is asked.
  std::vector<AskedQuestion> asked_by(const Tape& tape) {
    Orders asking = orders_for(tape, false);
    asking.asks = true;
    ++result_.further_runs;
    std::vector<AskedQuestion> all;
    for (const Report& report : run_once(asking).reports)
      all.insert(all.end(), report.asked.begin(), report.asked.end());
    return all;
  }

  /// A run of the search.
  struct Begun {
    Orders orders;
    std::future<ClientRun> run;
  };

  const SearchOptions& options_;
  SearchWatcher& watcher_;
  const std::atomic<bool>& stop_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const std::chrono::system_clock::time_point began_ = std::chrono::system_clock::now();
  SearchResult result_;
  std::unique_ptr<Answers> answers_ = options_.strategy->make(options_.seed);
  std::deque<Begun> begun_;  ///< Runs of the search that are not over, in the order of their begin.
  std::map<std::string, bool> failures_of_watching_;        ///< Complaints of runs that watched.
  std::map<std::string, std::string> failures_of_forcing_;  ///< In the words told, by complaint.
  std::map<std::string, unsigned> unforced_tries_;          ///< By signature.
  std::map<std::string, std::size_t> suppressed_;  ///< The number of what speaks of a signature.
  Crew crew_{options_.client, stop_, options_.jobs};
};

}  // namespace

SearchResult search(const SearchOptions& options, SearchWatcher& watcher,
                    const std::atomic<bool>& stop) {
  return Search(options, watcher, stop).run();
}

ClientRun replay(const Client& client, const Finding& finding, const std::atomic<bool>& stop) {
  Orders orders;
  orders.tape = tape_of(finding.decisions);
  orders.locates = true;
  orders.fails = std::ranges::any_of(finding.decisions, &ToldDecision::is_failure);
  orders.pedantic = finding.pedantic;
  orders.forces = finding.is_forced();
  return run_client(client, orders, stop);
}

}  // namespace harness::client
