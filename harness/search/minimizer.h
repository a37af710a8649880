// SPDX-License-Identifier: Apache-2.0
// Minimizer: makes the findings of a search plain: what can be left out first, of all of them, then
// each with all that minimizing knows. The first finding of a hazard goes before the others.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "harness/search/keeper.h"

namespace harness::searching {

using Clock = std::chrono::steady_clock;

/// Ownership: borrows all that it is made of. Threads: confined to the runner's.
class Minimizer {
 public:
  Minimizer(Runner& runner, const SearchOptions& options, SearchResult& result, Keeper& keeper)
      : runner_(runner), options_(options), result_(result), keeper_(keeper) {}

  /// Minimizes what is not yet. False when it was told to stop, or time ran out, before all was
  /// done.
  bool run(std::optional<Clock::time_point> deadline);

 private:
  /// Findings that are not minimized, the first of each hazard before the others.
  std::vector<std::size_t> open() const;
  bool is_cut_off() const;
  /// Also when the finding had as many endless runs as it may.
  bool is_over(std::size_t index) const;
  Limits limits(std::size_t index, bool thorough) const;
  Minimized minimize_once(std::size_t index, const Case& the_case, bool thorough);

  void leave_out(std::size_t index);
  void minimize_fully(std::size_t index);
  Minimized minimize_fully(std::size_t index, Case the_case);
  void adopt(Finding& finding, const Minimized& minimized);
  /// Notes that a run of the finding was another when it was replayed.
  void distrust(Finding& finding);

  Runner& runner_;
  const SearchOptions& options_;
  SearchResult& result_;
  Keeper& keeper_;
  std::optional<Clock::time_point> deadline_;
  /// Runs that findings took and that never ended.
  std::map<std::size_t, std::uint64_t> endless_counts_;
};

}  // namespace harness::searching
