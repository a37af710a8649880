// SPDX-License-Identifier: Apache-2.0
// Keeper: what a search keeps of its failing runs: a finding per signature and window, each with
// the smallest few runs that showed it.
#pragma once

#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/search.h"

namespace harness::searching {

/// Ops, then choices.
using Size = std::pair<std::ptrdiff_t, std::size_t>;

/// A run that showed a bug.
struct Sample {
  Size size;
  Config config;
  Tape tape;
};

/// Ownership: borrows all that it is made of. Threads: confined to the runner's.
class Keeper {
 public:
  Keeper(Runner& runner, const SearchOptions& options, SearchResult& result)
      : runner_(runner), options_(options), result_(result) {}

  /// Counts the findings of a run that failed and keeps what is new or smaller. Replays a run with
  /// a new finding at once, so that a run that differs from itself is found where it happens.
  void take_in(const Outcome& outcome, const Config& config, double seconds);

  /// Puts the smallest run that showed it in the place of the one that a finding has.
  void take_smallest(std::size_t index) { take(index, seen_[index].smallest.front()); }
  /// Makes `sample` the run that shows a finding, if a replay bears it out.
  void take(std::size_t index, const Sample& sample);

  /// The smallest few runs that showed it, ascending.
  const std::vector<Sample>& smallest(std::size_t index) const { return seen_[index].smallest; }
  /// Returns the case whose run it was.
  Case case_of(const Sample& sample) const;

  /// Reports a finding if it is another than when it was informed of last.
  void tell(std::size_t index);

 private:
  struct Seen {
    std::uint64_t last_run = 0;
    std::vector<Sample> smallest;
    std::tuple<std::uint64_t, bool, bool> told;  ///< Trace, minimized, nondeterministic.
  };
  /// Returns a hash of what makes two faults the same finding.
  static std::uint64_t key_of(const Fault& fault, int window);

  void count(std::size_t index, const Outcome& outcome, const Config& config);
  void add(std::size_t fault_index, const Outcome& outcome, double seconds);
  void confirm(const Outcome& outcome, const Config& config);

  Runner& runner_;
  const SearchOptions& options_;
  SearchResult& result_;
  std::vector<Seen> seen_;  ///< One for each finding.
  std::unordered_map<std::uint64_t, std::size_t> known_;
  std::vector<std::size_t> fresh_;  ///< Findings that the run being taken in added.
};

}  // namespace harness::searching
