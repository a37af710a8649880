// SPDX-License-Identifier: Apache-2.0
// Cell tapes: the tapes of a shard's cell. Those that earlier nights kept are replayed, sound
// variants are searched around them, and the shortest tapes of all runs are kept for later nights.
#pragma once

#include <vector>

#include "harness/nightly/record.h"
#include "harness/search/search.h"

namespace harness::nightly {

/// Ownership: borrows all its arguments. Threads: confined to the runner's.
class CellTapes {
 public:
  /// `shard` is counted from 1.
  CellTapes(const Plan& plan, std::size_t shard, const Cell& cell, const Scenario& scenario);

  /// Takes a run of the cell's own search.
  void take_in(const Outcome& outcome, const Config& config);
  /// Replays the tapes and searches around them as planned, with these options. Returns the
  /// findings of a sound variant, each signature once per window.
  std::vector<Finding> run(Runner& runner, const SearchOptions& options);
  /// Returns the results. Features for which another shard's tape is shorter are left out.
  TapesRecord record() const;

 private:
  bool has_runs_left() const;
  /// Returns the case of a kept tape. If this program cannot read it, its scenario is null.
  Case case_of(const KeptTape& tape) const;
  void replay(Runner& runner, const KeptTape& tape, const SearchOptions& options);
  void search_around(Runner& runner, SearchOptions options, double spent_seconds);
  void search(Runner& runner, SearchOptions options);
  bool is_ours(const std::string& feature, std::size_t decisions) const;

  const Plan& plan_;
  std::size_t shard_;
  const Cell& cell_;
  const Scenario& scenario_;
  std::size_t variant_;
  bool is_sound_;
  std::span<const KeptTape> tapes_;
  ShortestTapes shortest_;
  TapesRecord record_;
  std::vector<Finding> findings_;
};

}  // namespace harness::nightly
