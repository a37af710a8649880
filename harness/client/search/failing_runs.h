// Failing runs: separates failures that depend on the choices of a run from random failures of the
// program.
//
// A failure depends on choices if three runs with them show it, and three runs without them
// succeed, all of them forked or none. The order of the six has no period, because a program may
// fail every second time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/client/client.h"
#include "harness/client/search/failure.h"
#include "harness/pick.h"

namespace harness::client {

class FailingRuns {
 public:
  using RunOf = std::function<ClientRun(const Tape&)>;

  /// Adds the errors of a run without choices, which are expected from now on.
  void expect(const ClientRun& run);
  /// Returns a failure of the run that should be tried, or null.
  const ToldFault* suspect(const ClientRun& run) const;
  /// Returns whether the failure depends on the choices. Runs the program up to six times.
  bool depends(const std::string& signature, const Tape& tape, const RunOf& run);
  /// Returns whether three runs without choices succeed and do not show the failure.
  bool is_absent_without(const std::string& signature, const RunOf& run);
  /// Notes that a trial did not reproduce the failure. A few trials are allowed.
  void reject(const std::string& signature);

 private:
  bool ends_well_without(const std::string& signature, const RunOf& run);

  std::vector<ToldFault> expected_;
  std::map<std::string, unsigned> rejected_;  ///< Number of trials, by signature.
  unsigned rejected_count_ = 0;
};

}  // namespace harness::client
