// SPDX-License-Identifier: Apache-2.0
// Suspects: failures of the program that the choices of a run led to, which become findings.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/client/outside/search/completion.h"
#include "harness/client/outside/search/failing_runs.h"
#include "harness/client/outside/search/runs.h"
#include "harness/client/outside/search/search.h"
#include "harness/client/outside/search/suppressed.h"

namespace harness::client {

/// Ownership: borrows all its arguments. Puts findings into the result.
class Suspects {
 public:
  Suspects(SearchWatcher& watcher, const std::atomic<bool>& stop, SearchResult& result, Runs& runs,
           Suppressed& suppressed, const Completion& completion)
      : watcher_(watcher),
        stop_(stop),
        result_(result),
        runs_(runs),
        suppressed_(suppressed),
        completion_(completion),
        failing_(result.options.pedantic) {}

  /// Takes the default run: its errors are expected from then on.
  void expect(const ClientRun& run);
  /// Takes the failure that the choices of a run led to. Returns whether there is one.
  bool take(const ClientRun& run, std::uint64_t number);
  /// Takes errors of a run that the program survived.
  void take_survived(const ClientRun& run);
  /// Returns those that depend on choices.
  const std::vector<SurvivedError>& survived() const { return failing_.survived(); }

 private:
  bool is_repaired_by_known(const Finding& finding);
  ClientRun with_all_decisions(const ClientRun& run, const ToldFault& failure);
  bool is_led_to(Finding& finding, const ClientRun& run);
  bool still_hangs(Finding& finding, const Tape& tape);
  ClientRun trying(const Tape& tape, bool alone);

  SearchWatcher& watcher_;
  const std::atomic<bool>& stop_;
  SearchResult& result_;
  Runs& runs_;
  Suppressed& suppressed_;
  const Completion& completion_;
  FailingRuns failing_;
  int plain_code_ = 0;  ///< Exit code of the default run.
};

}  // namespace harness::client
