// SPDX-License-Identifier: Apache-2.0
// Known findings: the findings of a search, each with all runs and faults that show it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/client/outside/search/completion.h"
#include "harness/client/outside/search/search.h"
#include "harness/client/outside/search/suppressed.h"

namespace harness::client {

/// Ownership: borrows all its arguments. Puts findings and pedantic notes into the result.
class KnownFindings {
 public:
  KnownFindings(SearchWatcher& watcher, SearchResult& result, Suppressed& suppressed,
                const Completion& completion)
      : watcher_(watcher), result_(result), suppressed_(suppressed), completion_(completion) {}

  /// Takes the faults of a run. `code`: exit code of a run without choices.
  void take(const ClientRun& run, std::uint64_t number, int code);

 private:
  void take(const ClientRun& run, const ToldFault& shown, std::uint64_t number);
  bool is_face(Finding& finding);
  void count(const ToldFault& fault, std::uint64_t& run_count);
  ToldFault told_apart(const ToldFault& fault, const ClientRun& run);
  void try_unforced(Finding& finding, const ClientRun& run);
  void take_pedantic(const ClientRun& run, const ToldFault& fault);

  SearchWatcher& watcher_;
  SearchResult& result_;
  Suppressed& suppressed_;
  const Completion& completion_;
  int plain_code_ = 0;
  std::map<std::string, unsigned> unforced_tries_;  ///< Number of attempts, by signature.
  /// Faults with the functions in which they happen, by signature and key.
  std::map<std::pair<std::string, Name>, ToldFault> placed_;
  std::map<std::string, unsigned> placed_runs_;  ///< Number of runs, by signature.
  std::set<std::string> counted_;                ///< Faults for which the run was counted.
};

}  // namespace harness::client
