// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "harness/client/outside/crew.h"
#include "harness/client/outside/loaded_libraries.h"
#include "harness/client/outside/notes.h"
#include "harness/client/outside/search/answers.h"
#include "harness/client/outside/search/completion.h"
#include "harness/client/outside/search/tapes.h"
#include "harness/client/outside/search/unforced.h"

namespace harness::client {
namespace {

constexpr unsigned kUnforcedTries = 3;  ///< For a finding that seemed to need forced choices.
constexpr unsigned kPlacedRuns = 24;    ///< For distinguishing faults with the same signature.
constexpr double kShortestLimit = 2;    ///< Least time limit of a run, in seconds.
constexpr double kTimesLongest = 100;   ///< Least ratio of the limit to the longest run.
constexpr double kConfirming = 5;       ///< Factor that extends the limit to confirm a hang.

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
    if (!result_.refusal.empty()) return std::move(result_);
    failing_.expect(plain);
    plain_code_ = plain.ended.code;
    take(plain);
    if (plain.call_count() == 0 && !options_.may_not_call && !stop_.load())
      result_.not_ours = why_not_ours(options_.client, stop_);
    const bool can_be_searched = plain.call_count() != 0 && plain.ended.hang.empty();
    if (options_.forks && can_be_searched && goes_on()) crew_.begin_forking(orders());
    while (can_be_searched && begin_some()) {
      watcher_.progress(result_, "run", seconds());
      take(end_first());
    }
    result_.is_served = crew_.is_forking();
    result_.no_server = crew_.refusal();
    result_.tried_whole = answers_->tried_whole();
    result_.stopped = stop_.load();
    std::ranges::copy_if(failing_.survived(), std::back_inserter(result_.survived),
                         [this](const SurvivedError& one) { return !is_suppressed(one.error); });
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
    orders.limit_seconds = limit_seconds();
    return orders;
  }

  /// Returns the time limit of a run in seconds; 0 for the client's limit.
  double limit_seconds() const {
    const double limit = std::max(kShortestLimit, kTimesLongest * longest_seconds_);
    return longest_seconds_ == 0 || limit >= options_.client.timeout_seconds ? 0 : limit;
  }

  /// Starts the next run of the strategy. Returns false if there is none.
  bool begin_next() {
    Orders next = orders();
    if (!answers_->next(next)) return false;
    begun_.push_back({next, crew_.begin(next)});
    return true;
  }

  /// Starts runs until `jobs` are active. Returns whether any is active.
  bool begin_some() {
    while (begun_.size() < options_.jobs && goes_on() && begin_next()) {
    }
    return !begun_.empty();
  }

  /// Waits for the run that began first.
  ClientRun end_first() {
    Begun first = std::move(begun_.front());
    ClientRun run = as_alone(first.orders, first.run.get());
    last_orders_ = first.orders;
    begun_.pop_front();
    answers_->ran(run);
    return run;
  }

  ClientRun run_once(const Orders& orders) { return as_alone(orders, crew_.run(orders)); }

  ClientRun run_once(const Tape& tape) {
    Orders wanted = orders();
    wanted.tape = tape;
    return run_once(wanted);
  }

  /// Returns the run. If forks of the program fail under any choices, returns a repetition in a
  /// separate process instead. Checked for the first run with each complaint.
  ClientRun as_alone(const Orders& orders, ClientRun run) {
    if (run.ended.hang.empty()) longest_seconds_ = std::max(longest_seconds_, run.ended.seconds);
    const std::string complaint = run.own_failure(options_.client.timeout_seconds);
    if (!run.is_forked || complaint.empty() || run.ended.stopped || is_known(complaint) ||
        !fails_in_forks_.insert(complaint).second)
      return run;
    const ClientRun plain = crew_.run(this->orders());
    if (plain.own_failure(options_.client.timeout_seconds) != complaint) return run;
    ClientRun alone = run_client(options_.client, orders, stop_);
    if (alone.own_failure(options_.client.timeout_seconds) == complaint) return run;
    crew_.end_forking(fmt::format("a forked run {}, and a separate process does not", complaint));
    return alone;
  }

  bool is_known(const std::string& complaint) const {
    return std::ranges::any_of(
        result_.failures, [&](const OwnFailure& known) { return known.complaint == complaint; });
  }

  /// Counts a run of the search, and follows up its faults.
  void take(const ClientRun& run) {
    if (run.ended.stopped) return;
    const std::uint64_t number = result_.run_count++;
    counted_.clear();
    for (const Report& report : run.reports)
      for (const ToldFault& fault : report.faults) take(run, fault, number);
    take_injected(run);
    result_.explored.take(run);
    if (run.ended.outlived)
      add_note(result_,
               fmt::format("a process that the program started still held its output after "
                           "{:g} s (--timeout), and was ended",
                           options_.client.timeout_seconds));
    const std::vector<ToldDecision> all = run.decisions();
    if (std::ranges::any_of(all, &ToldDecision::is_forced)) ++result_.forced_runs;
    if (const std::string complaint = run.own_failure(options_.client.timeout_seconds);
        !take_suspect(run, number) && !complaint.empty() && !is_of_watching(complaint, run))
      take_failure(told_forced(complaint, all), run.last_call(), number);
    if (number != 0 && !stop_.load())
      failing_.take_survived(run, [this](const Tape& tape) { return trying(tape, false); });
  }

  /// Takes the failure that the choices of a run led to. Returns whether there is one.
  bool take_suspect(const ClientRun& run, std::uint64_t number) {
    const ToldFault* failure = failing_.suspect(run);
    if (failure == nullptr || number == 0 || stop_.load()) return false;
    for (Finding& known : result_.findings)
      if (known.is_of(*failure)) return ++known.run_count, true;
    if (is_suppressed(*failure)) return true;
    Finding finding{
        .fault = *failure, .run = number, .run_count = 1, .pedantic = options_.pedantic};
    if (!is_led_to(finding, with_all_decisions(run, *failure)))
      return failing_.reject(finding.fault.signature), false;
    if (is_suppressed(finding.fault)) return true;
    for (Finding& known : result_.findings)
      if (completion_.is_repaired_by(finding, known)) {
        known.faces.push_back(finding.fault);
        return ++known.run_count, true;
      }
    for (const OwnFailure& known : result_.failures)  // Runs whose trial did not show it.
      if (known.complaint == finding.fault.ended) finding.run_count += known.run_count;
    std::erase_if(result_.failures,
                  [&](const OwnFailure& known) { return known.complaint == finding.fault.ended; });
    watcher_.found(result_.findings.emplace_back(std::move(finding)));
    return true;
  }

  /// Returns the run with all choices in its reports. The report of a process that ended badly may
  /// lack the last ones; then the run is repeated.
  ClientRun with_all_decisions(const ClientRun& run, const ToldFault& failure) {
    if (std::ranges::all_of(run.reports, &Report::is_whole)) return run;
    Orders flushing = last_orders_;
    flushing.flushes = true;
    ClientRun again = further_run("trying a failure, run", flushing);
    return again.find(failure) != nullptr ? again : run;
  }

  /// Returns whether choices of `run` lead to the failure, both in forks and in separate processes,
  /// and completes the finding. Choices that watch memory are left out first, because a system call
  /// fails if it gets watched memory.
  bool is_led_to(Finding& finding, const ClientRun& run) {
    const std::string signature = finding.fault.signature;
    const auto in_form = [&](const Tape& tape) { return trying(tape, false); };
    const auto alone = [&](const Tape& tape) { return trying(tape, true); };
    const Tape tape = tape_before(run, finding.fault);
    if (took_too_long(finding.fault) && !still_hangs(finding, tape)) return false;
    if (!failing_.depends(signature, tape, in_form)) return false;
    completion_.complete(finding, run, plain_code_);
    return finding.replay_count == kReplays && finding.repeats() && !finding.decisions.empty() &&
           std::ranges::none_of(finding.decisions, &ToldDecision::is_watch) &&
           failing_.is_absent_without(signature, alone);
  }

  /// Returns whether the run also exceeds an extended time limit, twice.
  bool still_hangs(Finding& finding, const Tape& tape) {
    constexpr unsigned kRuns = 2;
    Orders patient = orders();
    patient.tape = tape;
    patient.limit_seconds = kConfirming * limit_of(options_.client, patient);
    for (unsigned i = 0; i < kRuns; ++i)
      if (further_run("waiting longer for a run that hangs, run", patient)
              .find(finding.fault.signature) == nullptr)
        return false;
    finding.limit_seconds = patient.limit_seconds;
    return true;
  }

  ClientRun trying(const Tape& tape, bool alone) {
    Orders trying = orders();
    trying.tape = tape;
    trying.locates = alone;
    return further_run("trying a failure, run", trying);
  }

  ClientRun further_run(const char* doing, const Orders& orders) {
    watcher_.progress(result_, doing, seconds());
    ++result_.further_runs;
    return run_once(orders);
  }

  /// Returns the complaint, extended by a clause if it occurs with forced choices only.
  std::string told_forced(const std::string& complaint, const std::vector<ToldDecision>& all) {
    const Tape tape = tape_of(all);
    if (is_known(complaint) || !has_forced(tape)) return complaint;
    const auto [known, is_new] = failures_of_forcing_.try_emplace(complaint, complaint);
    if (!is_new) return known->second;
    ++result_.further_runs;
    const ClientRun unforced = run_once(possible_part(tape));
    if (unforced.own_failure(options_.client.timeout_seconds) != complaint)
      known->second += ", where something was forced";
    return known->second;
  }

  /// Returns whether the program fails only because memory is watched: a system call fails if it
  /// gets watched memory.
  bool is_of_watching(const std::string& complaint, const ClientRun& run) {
    const std::vector<ToldDecision> all = run.decisions();
    if (is_known(complaint) || std::ranges::none_of(all, &ToldDecision::is_watch)) return false;
    const auto [known, is_new] = failures_of_watching_.try_emplace(complaint, true);
    if (!is_new) return known->second;
    std::vector<ToldDecision> others;
    std::ranges::remove_copy_if(all, std::back_inserter(others), &ToldDecision::is_watch);
    ++result_.further_runs;
    const ClientRun unwatched = run_once(tape_of(others));
    known->second = unwatched.own_failure(options_.client.timeout_seconds) != complaint;
    return known->second;
  }

  void take_injected(const ClientRun& run) {
    if (run.failure() == nullptr) return;
    ++result_.failed_runs;
    if (run.ended.code > 0) ++result_.given_up_runs;
  }

  void take(const ClientRun& run, const ToldFault& shown, std::uint64_t number) {
    const ToldFault fault = told_apart(shown, run);
    for (Finding& known : result_.findings)
      if (known.is_of(fault)) {
        count(known.fault, known.run_count);
        if (known.is_forced()) try_unforced(known, run);
        return;
      }
    if (is_suppressed(fault)) return;
    if (!fault.pedantic.empty() && !options_.pedantic) return take_pedantic(run, fault);
    Finding finding{.fault = fault, .run = number, .pedantic = options_.pedantic};
    completion_.complete(finding, run, plain_code_);
    if (is_suppressed(finding.fault) || is_face(finding)) return;
    count(finding.fault, finding.run_count);
    watcher_.found(result_.findings.emplace_back(std::move(finding)));
  }

  /// Takes a finding that is another face of a known one, or replaces that one if it lacks the line
  /// of the host's write. Returns whether it is one.
  bool is_face(Finding& finding) {
    for (Finding& known : result_.findings) {
      if (!finding.fault.is_face_of(known.fault)) continue;
      const bool is_better = known.fault.is_with_unknown_write() && finding.fault.has_two_uses();
      if (is_better)
        known.take_over(std::move(finding));
      else
        known.faces.push_back(finding.fault);
      count(known.fault, known.run_count);
      if (is_better) watcher_.found(known);
      return true;
    }
    return false;
  }

  /// Counts the run once, even if it shows the fault by several calls.
  void count(const ToldFault& fault, std::uint64_t& run_count) {
    if (counted_.insert(fault.signature + fault.at).second) ++run_count;
  }

  /// Returns the fault with the functions in which it happens, if a finding has its signature: the
  /// functions distinguish two bugs. This takes a further run that records places.
  ToldFault told_apart(const ToldFault& fault, const ClientRun& run) {
    const auto is_alike = [&](const Finding& known) {
      return known.is_of({.signature = fault.signature});
    };
    if (std::ranges::none_of(result_.findings, is_alike)) return fault;
    const auto [known, is_new] = placed_.try_emplace({fault.signature, fault.key}, fault);
    if (is_new && placed_runs_[fault.signature]++ < kPlacedRuns)
      known->second = completion_.placed(fault, run);
    if (!known->second.at.empty()) return known->second;
    return {.signature = fault.signature};  // Treated as the same bug.
  }

  /// Completes a finding again from a run that shows it without forced choices.
  void try_unforced(Finding& finding, const ClientRun& run) {
    const Tape tape = tape_before(run, finding.fault);
    if (has_forced(tape) || unforced_tries_[finding.fault.signature] == kUnforcedTries) return;
    ++unforced_tries_[finding.fault.signature];
    Finding possible = finding;
    completion_.complete(possible, run, plain_code_);
    if (possible.replay_count == 0 || !possible.repeats()) return;
    finding = std::move(possible);
    watcher_.found(finding);
  }

  /// Keeps a fault that is reported once, at the end of the search. Its places are looked up at
  /// once.
  void take_pedantic(const ClientRun& run, const ToldFault& fault) {
    for (PedanticNote& known : result_.pedantic)
      if (known.fault.signature == fault.signature) return count(known.fault, known.run_count);
    const ToldFault placed = completion_.placed(fault, run);
    if (is_suppressed(placed)) return;
    result_.pedantic.push_back({placed});
    count(placed, result_.pedantic.back().run_count);
  }

  /// Counts a suppressed fault. A rule for a file matches only after places were recorded.
  bool is_suppressed(const ToldFault& fault) {
    const Suppressions& known = options_.suppressions;
    const auto [by, is_new] =
        suppressed_.try_emplace(fault.signature + fault.at, known.all().size());
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

  /// A run of the search.
  struct Begun {
    Orders orders;
    std::future<ClientRun> run;
  };

  const SearchOptions& options_;
  SearchWatcher& watcher_;
  const std::atomic<bool>& stop_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  SearchResult result_;
  std::unique_ptr<Answers> answers_ = options_.strategy->make(options_.seed);
  std::deque<Begun> begun_;  ///< Runs of the search that are not over, in the order of their start.
  Orders last_orders_;       ///< Orders of the run that was taken last.
  int plain_code_ = 0;       ///< Exit code of the default run.
  double longest_seconds_ = 0;  ///< The longest time that a run took without being stopped.
  FailingRuns failing_{options_.pedantic};
  std::set<std::string> fails_in_forks_;                    ///< Complaints seen in forked runs.
  std::map<std::string, bool> failures_of_watching_;        ///< Whether each is due to watching.
  std::map<std::string, std::string> failures_of_forcing_;  ///< Its words, by complaint.
  std::map<std::string, unsigned> unforced_tries_;          ///< Number of attempts, by signature.
  std::map<std::string, std::size_t> suppressed_;  ///< Index of the suppression, by signature.
  /// Faults with the functions in which they happen, by signature and key.
  std::map<std::pair<std::string, Name>, ToldFault> placed_;
  std::map<std::string, unsigned> placed_runs_;  ///< Number of runs, by signature.
  std::set<std::string> counted_;                ///< Faults for which the run was counted.
  Crew crew_{options_.client, stop_, options_.jobs};
  const Completion completion_{
      options_.client, orders(),
      [this](const char* doing, const Orders& orders) { return further_run(doing, orders); }, stop_,
      std::chrono::system_clock::now()};
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
