// SPDX-License-Identifier: Apache-2.0
// How it works. While a finding is minimized, a run shows it if it has the fault by the same calls.
// With fewer choices the fault may occur by other calls, such as those of an earlier iteration of a
// loop. Then one more run, which records places, checks whether the functions are the same.
#include "harness/client/outside/search/completion.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/client/outside/build_id.h"
#include "harness/client/outside/search/advice.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/outside/search/shortcuts.h"
#include "harness/client/outside/search/shrink.h"
#include "harness/client/outside/search/tapes.h"
#include "harness/client/outside/search/unforced.h"

namespace harness::client {
namespace {

constexpr std::uint64_t kShrinkLimit = 300;    ///< Runs of the program, for one finding.
constexpr std::uint64_t kShortcutLimit = 200;  ///< Runs after that.
constexpr unsigned kPlacingRuns = 12;          ///< For a finding that no replay shows.
constexpr unsigned kPlacedRuns = 16;           ///< For telling a fault by its functions.

/// Returns the reason why choices of the run are forced, or "".
std::string reason_of(const ClientRun& run) {
  for (const Report& report : run.reports)
    if (!report.forced.empty()) return report.forced;
  return {};
}

/// Takes the reason why the run may not repeat. Threads that call the driver freely take
/// precedence, and are not replaced by a later reason.
void take_doubt(Finding& finding, const ClientRun& run) {
  if (finding.has_free_threads) return;
  const ToldFault* fault = run.find(finding.fault);
  std::string free = fault != nullptr ? fault->free_threads : "";
  for (const Report& report : run.reports) {
    if (fault == nullptr && free.empty()) free = report.free_threads;
    if (finding.doubt.empty()) finding.doubt = report.doubt;
  }
  if (free.empty()) return;
  finding.has_free_threads = true;
  finding.doubt = free;
}

/// Takes the fault and choices of a run that recorded places. Returns whether the run has the
/// fault.
bool take_places(Finding& finding, const ClientRun& run) {
  const ToldFault* fault = run.find(finding.fault);
  if (fault == nullptr) return false;
  finding.decisions = run.decisions();
  finding.fault = ToldFault(*fault);
  finding.forced = reason_of(run);
  return true;
}

}  // namespace

void Completion::complete(Finding& finding, const ClientRun& run, int code,
                          std::span<const Finding> known) const {
  const Tape least = minimize(finding, run);
  finding.build = build_id_of(client_.command);
  finding.forced = reason_of(run);
  finding.doubt.clear();
  finding.has_free_threads = false;
  finding.replay_count = finding.shown_count = finding.placing_count = 0;
  replay(finding, least);
  if (!finding.repeats() && !is_failure(finding.fault)) explain(finding, run, least);
  if (!finding.is_forced()) finding.forced.clear();
  finding.fix.clear();
  finding.repair = {};
  // The repair of a fault that comes before a wild access is narrower than a wait for everything.
  const bool is_wild = finding.fault.kind == kWildAccess;
  if (!is_wild) repair(finding, least, code);
  for (const Finding& other : known) borrow_repair(finding, other, code);
  if (is_wild && finding.fix.empty()) repair(finding, least, code);
}

Orders Completion::orders_for(const Tape& tape, bool locates) const {
  Orders told = base_;
  told.tape = tape;
  told.locates = told.flushes = locates;
  return told;
}

ToldFault Completion::placed(const ToldFault& fault, const ClientRun& run) const {
  constexpr const char* kDoing = "looking for places, run";
  const ClientRun again = run_(kDoing, orders_for(tape_before(run, fault), true));
  const ToldFault* found = again.find(fault);
  return found != nullptr ? *found : fault;
}

// ---- minimizing ---------------------------------------------------------------------------------

/// Returns the fewest choices of the run that still show the fault, with as few forced ones as
/// possible. Stores them in the finding, in words.
Tape Completion::minimize(Finding& finding, const ClientRun& run) const {
  constexpr const char* kDoing = "minimizing, run";
  const Tape all = tape_before(run, finding.fault);
  if (finding.fault.at.empty()) finding.fault = placed(finding.fault, run);
  if (finding.fault.at.empty()) finding.fault.key = 0;  // It does not repeat: any calls match.
  const ToldFault& fault = finding.fault;
  std::map<Name, bool> known{{fault.key, true}};  // Whether a fault with this key is the same bug.
  const auto is_it = [&](const ToldFault& other, const Tape& part) {
    if (other.signature != fault.signature) return false;
    if (fault.at.empty() || other.key == 0) return true;
    const auto found = known.find(other.key);
    if (found != known.end()) return found->second;
    if (known.size() > kPlacedRuns) return false;
    const ClientRun placed = run_(kDoing, orders_for(part, true));
    return known[other.key] = placed.find(fault) != nullptr;
  };
  const auto shows = [&](const Tape& part) {
    if (stop_.load()) return false;
    const ClientRun tried = run_(kDoing, orders_for(part, false));
    const auto is_shown = [&](const ToldFault& other) { return is_it(other, part); };
    return std::ranges::any_of(tried.failures, is_shown) ||
           std::ranges::any_of(tried.reports, [&](const Report& report) {
             return std::ranges::any_of(report.faults, is_shown);
           });
  };
  const Tape part = shrink(shrink_forced(all, shows, kShrinkLimit), shows, kShrinkLimit);
  const Tape least = take_shortcuts(part, all, shows, kShortcutLimit);
  finding.decisions = told_of(run, least);
  if (!has_forced(least) || stop_.load()) return least;
  const Tape possible = replace_forced(least, asked_by(least), shows);
  return possible == least ? least : shrink(possible, shows, kShrinkLimit);
}

/// Returns the choices that a run of this tape offers.
std::vector<AskedQuestion> Completion::asked_by(const Tape& tape) const {
  Orders asking = orders_for(tape, false);
  asking.asks = true;
  std::vector<AskedQuestion> all;
  for (const Report& report : run_("recording choices, run", asking).reports)
    all.insert(all.end(), report.asked.begin(), report.asked.end());
  return all;
}

// ---- replays ------------------------------------------------------------------------------------

void Completion::replay(Finding& finding, const Tape& least) const {
  for (unsigned i = 0; i < kReplays && !stop_.load(); ++i) {
    const ClientRun again = run_("replaying, run", orders_for(least, true));
    if (again.ended.stopped) return;
    ++finding.replay_count;
    take_doubt(finding, again);
    if (take_places(finding, again)) ++finding.shown_count;
  }
}

/// Searches for the reason why replays differ, and for places if no replay showed the fault.
void Completion::explain(Finding& finding, const ClientRun& run, const Tape& least) const {
  take_doubt(finding, run);
  if (finding.shown_count == 0) find_places(finding, least);
  if (finding.has_free_threads || stop_.load()) return;
  finding.reads =
      look_at_reads(client_, orders_for(least, false), finding.fault.signature, began_, stop_);
}

void Completion::find_places(Finding& finding, const Tape& least) const {
  while (finding.placing_count < kPlacingRuns && !stop_.load()) {
    ++finding.placing_count;
    if (!take_places(finding, run_("looking for its places, run", orders_for(least, true))))
      continue;
    finding.placing_count = 0;
    return;
  }
}

/// Searches for a repair that removes the fault, unless the program differs from run to run.
void Completion::repair(Finding& finding, const Tape& least, int code) const {
  Advice found;
  if (finding.replay_count != 0 && finding.repeats() && !stop_.load())
    found = tried_advice(finding.fault, code,
                         [&](const Trial& trial) { return try_repair(least, trial); });
  finding.fix = found.words;
  finding.repair = found.trial;
}

ClientRun Completion::try_repair(const Tape& least, const Trial& trial) const {
  Orders trying = orders_for(least, trial.place != 0);
  trying.trial = trial;
  return run_("trying a repair, run", trying);
}

/// Gives a finding without a repair that of another one, if it removes both: a wild address and
/// foreign contents often come from another fault.
void Completion::borrow_repair(Finding& finding, const Finding& known, int code) const {
  const bool is_consequence =
      finding.fault.kind == kWildAccess || finding.fault.kind == "recycled_use";
  if (!is_consequence || !finding.fix.empty() || !finding.repeats() || known.fix.empty() ||
      stop_.load())
    return;
  const Tape least = tape_of(finding.decisions);
  const auto run = [&](const Trial& trial) { return try_repair(least, trial); };
  if (!helps(known.repair, finding.fault, code, run)) return;
  finding.fix = known.fix;
  finding.repair = known.repair;
}

bool Completion::is_repaired_by(const Finding& failure, const Finding& known) const {
  if (known.repair.kind == Trial::Kind::none) return false;
  Orders trying = orders_for(tape_of(failure.decisions), false);
  trying.trial = known.repair;
  const ClientRun run = run_("trying a repair, run", trying);
  return run.ended.code == 0 && run.find(failure.fault) == nullptr;
}

}  // namespace harness::client
