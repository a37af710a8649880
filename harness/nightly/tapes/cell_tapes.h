// SPDX-License-Identifier: Apache-2.0
// Cell tapes: the tapes of one cell of a shard: those that earlier nights kept are replayed, a
// sound variant is searched around them, and the shortest of all runs are kept for the nights to
// come.
#pragma once

#include <vector>

#include "harness/nightly/record.h"
#include "harness/search.h"

namespace harness::nightly {

/// Ownership: borrows all that it is made of. Threads: confined to the runner's.
class CellTapes {
 public:
  /// `shard` is counted from 1.
  CellTapes(const Plan& plan, std::size_t shard, const Cell& cell, const Scenario& scenario);

  /// Takes in a run of the cell's own search.
  void take_in(const Outcome& outcome, const Config& config);
  /// Does what the plan has for the tapes, by means of what `options` says. Returns what a sound
  /// variant showed, each signature once in a window.
  std::vector<Finding> run(Runner& runner, const SearchOptions& options);
  /// Returns the result of them. Features that another shard's tape has shorter are left out.
  TapesRecord record() const;

 private:
  bool has_runs_left() const;
  /// Returns the case of a kept tape; one that this program cannot read has no scenario.
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
