// SPDX-License-Identifier: Apache-2.0
// Nightly services: the functions that a shard gets from this program: progress, reproducers as
// `fuzz` writes them, and replays in separate processes.
#pragma once

#include <vector>

#include "harness/nightly/command/programs/program_list.h"
#include "harness/nightly/command/resources.h"
#include "harness/nightly/shard/shard.h"
#include "harness/report/progress.h"

namespace harness::entries {

/// Ownership: borrows `stop`; owns the state that the services use.
class NightlyServices {
 public:
  /// `stop` ends a search and a replay. Progress is reported for shard `index` of `count`.
  /// `programs`: those that a night of programs may start.
  NightlyServices(const std::atomic<bool>& stop, std::size_t index, std::size_t count,
                  std::vector<NightProgram> programs);

  const nightly::Services& services() const { return services_; }
  /// Erases the progress line.
  void clear() { progress_.clear(); }

 private:
  void show(const nightly::Place& place, const nightly::Cell& cell, const std::string& state);

  nightly::Services services_;
  std::vector<NightProgram> programs_;
  InstructionCounter instructions_;
  std::string shard_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  reports::Progress progress_{2, reports::Terminal::of(2)};
};

}  // namespace harness::entries
