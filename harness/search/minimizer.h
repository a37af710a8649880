// SPDX-License-Identifier: Apache-2.0
// Minimizer: minimizes the findings of a search. First it only leaves things out of each of them,
// then it minimizes each fully. The first finding of a hazard comes before the others.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "harness/search/keeper.h"

namespace harness::searching {

using Clock = std::chrono::steady_clock;

/// Ownership: borrows its constructor's arguments. Threads: confined to the runner's.
class Minimizer {
 public:
  Minimizer(Runner& runner, const SearchOptions& options, SearchResult& result, Keeper& keeper)
      : runner_(runner), options_(options), result_(result), keeper_(keeper) {}

  /// Minimizes the findings that are not minimized yet. Returns false if it was stopped, or time
  /// ran out, before it was done.
  bool run(std::optional<Clock::time_point> deadline);

 private:
  /// Findings that are not minimized, the first of each hazard before the others.
  std::vector<std::size_t> open() const;
  bool is_cut_off() const;
  /// Returns whether to stop, also because the finding has had its maximum of endless runs.
  bool is_over(std::size_t index) const;
  Limits limits(std::size_t index, bool thorough) const;
  Minimized minimize_once(std::size_t index, const Case& the_case, bool thorough);

  void leave_out(std::size_t index);
  void minimize_fully(std::size_t index);
  Minimized minimize_fully(std::size_t index, Case the_case);
  void adopt(Finding& finding, const Minimized& minimized);
  /// Notes that a replay of a run of the finding differed.
  void distrust(Finding& finding);

  Runner& runner_;
  const SearchOptions& options_;
  SearchResult& result_;
  Keeper& keeper_;
  std::optional<Clock::time_point> deadline_;
  /// Endless runs of each finding.
  std::map<std::size_t, std::uint64_t> endless_counts_;
};

}  // namespace harness::searching
