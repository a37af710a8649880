// Failing runs: separates failures that depend on the decisions of a run from those that the
// program has at random.
//
// A failure depends on decisions if three runs with them show it, and three runs without any end
// well and do not, in one form of process. The six are in an order without a period: a program may
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

  /// Takes the errors of a run without decisions: they are expected from now on.
  void expect(const ClientRun& run);
  /// Returns the failure of the run that is worth a trial, or null.
  const ToldFault* suspect(const ClientRun& run) const;
  /// Returns whether the failure depends on the decisions. Runs the program up to six times.
  bool depends(const std::string& signature, const Tape& tape, const RunOf& run);
  /// Returns whether three runs without decisions end well and do not show the failure.
  bool is_absent_without(const std::string& signature, const RunOf& run);
  /// A trial of the failure did not show what it needs: it may be tried a few times.
  void reject(const std::string& signature);

 private:
  bool ends_well_without(const std::string& signature, const RunOf& run);

  std::vector<ToldFault> expected_;
  std::map<std::string, unsigned> rejected_;  ///< How often, by signature.
  unsigned rejected_count_ = 0;
};

}  // namespace harness::client
