// SPDX-License-Identifier: Apache-2.0
// Keeper: the failing runs that a search keeps: a finding per signature and window, each with the
// smallest few runs that showed it.
#pragma once

#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/search/search.h"

namespace harness::searching {

/// Ops, then choices.
using Size = std::pair<std::ptrdiff_t, std::size_t>;

/// A run that showed a bug.
struct Sample {
  Size size;
  Config config;
  Tape tape;
};

/// Ownership: borrows its constructor's arguments. Threads: confined to the runner's.
class Keeper {
 public:
  Keeper(Runner& runner, const SearchOptions& options, SearchResult& result)
      : runner_(runner), options_(options), result_(result) {}

  /// Counts the findings of a failing run and keeps new or smaller ones. Replays a run with a new
  /// finding at once, so that nondeterminism is detected in the run where it occurs.
  void take_in(const Outcome& outcome, const Config& config, double seconds);

  /// Replaces the run of a finding by the smallest run that showed it.
  void take_smallest(std::size_t index) { take(index, seen_[index].smallest.front()); }
  /// Makes `sample` the run of a finding, if a replay confirms it.
  void take(std::size_t index, const Sample& sample);

  /// Returns the smallest few runs that showed the finding, ascending.
  const std::vector<Sample>& smallest(std::size_t index) const { return seen_[index].smallest; }
  /// Returns the case of a sample.
  Case case_of(const Sample& sample) const;

  /// Reports a finding if it has changed since the last report.
  void tell(std::size_t index);

 private:
  struct Seen {
    std::uint64_t last_run = 0;
    std::vector<Sample> smallest;
    std::tuple<std::uint64_t, bool, bool> reported;  ///< Trace, minimized, nondeterministic.
  };
  /// Returns a hash of the properties that make two faults the same finding.
  static std::uint64_t key_of(const Fault& fault, int window);

  void count(std::size_t index, const Outcome& outcome, const Config& config);
  void add(std::size_t fault_index, const Outcome& outcome, double seconds);
  void confirm(const Outcome& outcome, const Config& config);

  Runner& runner_;
  const SearchOptions& options_;
  SearchResult& result_;
  std::vector<Seen> seen_;  ///< One for each finding.
  std::unordered_map<std::uint64_t, std::size_t> known_;
  std::vector<std::size_t> fresh_;  ///< Findings that the current run added.
};

}  // namespace harness::searching
