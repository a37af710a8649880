// SPDX-License-Identifier: Apache-2.0
// Failing runs: separates failures that depend on the choices of a run from random failures of the
// program.
//
// A failure depends on choices if three runs with them show it, and three runs without them
// succeed. Either all six are forked or none. Their order is not periodic, because a program may
// fail every second time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/client/outside/client.h"
#include "harness/client/outside/search/failure.h"
#include "harness/core/pick/pick.h"

namespace harness::client {

/// An error that the program survived, in some schedules only.
struct SurvivedError {
  ToldFault error;
  std::uint64_t run_count = 0;
};

class FailingRuns {
 public:
  using RunOf = std::function<ClientRun(const Tape&)>;

  explicit FailingRuns(bool pedantic) : is_pedantic_(pedantic) {}

  /// Takes the errors of a run without choices: they are expected from then on.
  void expect(const ClientRun& run);
  /// Returns a failure of the run that should be tried, or null.
  const ToldFault* suspect(const ClientRun& run) const;
  /// Returns whether the failure depends on the choices. Runs the program up to six times.
  bool depends(const std::string& signature, const Tape& tape, const RunOf& run);
  /// Returns whether three runs without choices succeed and do not show the failure.
  bool is_absent_without(const std::string& signature, const RunOf& run);
  /// Counts an error that the program survived if it depends on the choices and its call does not
  /// end a lifetime. Runs the program up to six times for each signature. A pedantic search counts
  /// none, because it reports them as findings.
  void take_survived(const ClientRun& run, const RunOf& again);
  const std::vector<SurvivedError>& survived() const { return survived_; }
  /// Notes that a trial did not confirm the failure. It is tried only a few times.
  void reject(const std::string& signature);

 private:
  bool ends_well_without(const std::string& signature, const RunOf& run);
  bool may_be_tried(const ToldFault& failure) const;

  bool is_pedantic_;
  std::vector<SurvivedError> survived_;
  std::vector<ToldFault> expected_;
  std::map<std::string, unsigned> rejected_;  ///< Number of trials, by signature.
  unsigned rejected_count_ = 0;
};

}  // namespace harness::client
