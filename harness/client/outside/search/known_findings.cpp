// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/known_findings.h"

#include <algorithm>

#include "harness/client/outside/search/tapes.h"
#include "harness/client/outside/search/unforced.h"

namespace harness::client {
namespace {

constexpr unsigned kUnforcedTries = 3;  ///< For a finding that seemed to need forced choices.
constexpr unsigned kPlacedRuns = 24;    ///< For distinguishing faults with the same signature.

}  // namespace

void KnownFindings::take(const ClientRun& run, std::uint64_t number, int code) {
  plain_code_ = code;
  counted_.clear();
  for (const Report& report : run.reports)
    for (const ToldFault& fault : report.faults) take(run, fault, number);
}

void KnownFindings::take(const ClientRun& run, const ToldFault& shown, std::uint64_t number) {
  const ToldFault fault = told_apart(shown, run);
  for (Finding& known : result_.findings)
    if (known.is_of(fault)) {
      count(known.fault, known.run_count);
      if (known.is_forced()) try_unforced(known, run);
      return;
    }
  if (suppressed_.take(fault)) return;
  if (!fault.pedantic.empty() && !result_.options.pedantic) return take_pedantic(run, fault);
  Finding finding{.fault = fault, .run = number, .pedantic = result_.options.pedantic};
  completion_.complete(finding, run, plain_code_, result_.findings);
  if (suppressed_.take(finding.fault) || is_face(finding)) return;
  count(finding.fault, finding.run_count);
  watcher_.found(result_.findings.emplace_back(std::move(finding)));
}

/// Takes a finding that is another face of a known one, or replaces that one if it lacks the line
/// of the host's write. Returns whether it is one.
bool KnownFindings::is_face(Finding& finding) {
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
void KnownFindings::count(const ToldFault& fault, std::uint64_t& run_count) {
  if (counted_.insert(fault.signature + fault.at).second) ++run_count;
}

/// Returns the fault with the functions in which it happens, if a finding has its signature: the
/// functions distinguish two bugs. This takes a further run that records places.
ToldFault KnownFindings::told_apart(const ToldFault& fault, const ClientRun& run) {
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
void KnownFindings::try_unforced(Finding& finding, const ClientRun& run) {
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
void KnownFindings::take_pedantic(const ClientRun& run, const ToldFault& fault) {
  for (PedanticNote& known : result_.pedantic)
    if (known.fault.signature == fault.signature) return count(known.fault, known.run_count);
  const ToldFault placed = completion_.placed(fault, run);
  if (suppressed_.take(placed)) return;
  result_.pedantic.push_back({placed});
  count(placed, result_.pedantic.back().run_count);
}

}  // namespace harness::client
