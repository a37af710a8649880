// SPDX-License-Identifier: Apache-2.0
// Calls: the calls of a script that have not returned, and counts of all calls.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "scenarios/graph_argument/model/call.h"

namespace scenarios::graph_argument {

struct Graph;

/// Ownership: borrows the world; a call is in the run's arena.
class Calls {
 public:
  explicit Calls(harness::World& world) : world_(world) {}

  /// Sets the task whose calls count: Python's main thread.
  void set_main(harness::TaskId task) { main_ = task; }
  harness::TaskId main() const { return main_; }

  Call& begin(const Asked& asked);
  void end(Call& call);
  /// Returns the current task's call, or null.
  Call* current() const;
  const std::pmr::vector<Call*>& open() const { return calls_; }
  bool quiet() const { return calls_.empty(); }
  /// Returns whether another task is about to launch, or has launched but has not reported it.
  bool launches_elsewhere() const;
  std::uint32_t script_calls() const { return script_calls_; }
  /// Counts a wait that has returned. Returns its number.
  std::uint32_t count_wait() { return ++waits_; }

  /// An invalidated capture has ended, by the call that requests it or by a destructor.
  void capture_failed();

  // ---- delays ------------------------
  /// CUDA's threads or Python's queue hold objects up now, and for this many calls of the script.
  void hold_up(std::uint32_t calls = 0) {
    held_up_at_ = std::max(held_up_at_, script_calls_ + calls);
  }
  /// Returns the script's number of calls when something was last held up.
  std::uint32_t held_up_at() const { return held_up_at_; }

 private:
  void met_condition(const Graph& graph);

  harness::World& world_;
  std::pmr::vector<Call*> calls_;
  harness::TaskId main_ = harness::TaskId::none;
  std::uint32_t call_count_ = 0;
  std::uint32_t script_calls_ = 0;
  std::uint32_t waits_ = 0;
  std::uint32_t held_up_at_ = 0;
};

}  // namespace scenarios::graph_argument
