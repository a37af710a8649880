// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/search/suspects.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/client/outside/search/tapes.h"

namespace harness::client {

static constexpr double kConfirming = 5;  ///< Factor that extends the limit to confirm a hang.

void Suspects::expect(const ClientRun& run) {
  failing_.expect(run);
  plain_code_ = run.ended.code;
}

void Suspects::take_survived(const ClientRun& run) {
  failing_.take_survived(run, [this](const Tape& tape) { return trying(tape, false); });
}

bool Suspects::take(const ClientRun& run, std::uint64_t number) {
  const ToldFault* failure = failing_.suspect(run);
  if (failure == nullptr || number == 0 || stop_.load()) return false;
  for (Finding& known : result_.findings)
    if (known.is_of(*failure)) return ++known.run_count, true;
  if (suppressed_.take(*failure)) return true;
  Finding finding{
      .fault = *failure, .run = number, .run_count = 1, .pedantic = result_.options.pedantic};
  if (!is_led_to(finding, with_all_decisions(run, *failure)))
    return failing_.reject(finding.fault.signature), false;
  if (suppressed_.take(finding.fault)) return true;
  if (is_repaired_by_known(finding)) return true;
  for (const OwnFailure& known : result_.failures)  // Runs whose trial did not show it.
    if (known.complaint == finding.fault.ended) finding.run_count += known.run_count;
  std::erase_if(result_.failures,
                [&](const OwnFailure& known) { return known.complaint == finding.fault.ended; });
  watcher_.found(result_.findings.emplace_back(std::move(finding)));
  return true;
}

/// Returns the run with all choices in its reports. The report of a process that ended badly may
/// lack the last ones; then the run is repeated.
ClientRun Suspects::with_all_decisions(const ClientRun& run, const ToldFault& failure) {
  if (std::ranges::all_of(run.reports, &Report::is_whole)) return run;
  Orders flushing = runs_.last_orders();
  flushing.flushes = true;
  ClientRun again = runs_.further("trying a failure, run", flushing);
  return again.find(failure) != nullptr ? again : run;
}

/// Returns whether choices of `run` lead to the failure, both in forks and in separate processes,
/// and completes the finding. Choices that watch memory are left out first, because a system call
/// fails if it gets watched memory.
bool Suspects::is_led_to(Finding& finding, const ClientRun& run) {
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
bool Suspects::still_hangs(Finding& finding, const Tape& tape) {
  constexpr unsigned kRuns = 2;
  Orders patient = runs_.orders();
  patient.tape = tape;
  patient.limit_seconds = kConfirming * limit_of(result_.options.client, patient);
  for (unsigned i = 0; i < kRuns; ++i)
    if (runs_.further("waiting longer for a run that hangs, run", patient)
            .find(finding.fault.signature) == nullptr)
      return false;
  finding.limit_seconds = patient.limit_seconds;
  return true;
}

ClientRun Suspects::trying(const Tape& tape, bool alone) {
  Orders trying = runs_.orders();
  trying.tape = tape;
  trying.locates = alone;
  return runs_.further("trying a failure, run", trying);
}

/// Returns whether the repair of a known finding removes the failure, which is then a face of it.
bool Suspects::is_repaired_by_known(const Finding& finding) {
  for (Finding& known : result_.findings)
    if (completion_.is_repaired_by(finding, known)) {
      known.faces.push_back(finding.fault);
      return ++known.run_count, true;
    }
  return false;
}

}  // namespace harness::client
