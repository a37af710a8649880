// SPDX-License-Identifier: Apache-2.0
// ModelCalls: the calls that a script has asked for and has no answer to yet, and how many there
// have been.
#pragma once

#include <algorithm>
#include <memory_resource>
#include <vector>

#include "scenarios/graph_argument/call.h"

namespace scenarios::graph_argument {

struct ModelGraph;

/// Ownership: borrows the world; a call is in the run's arena.
class ModelCalls {
 public:
  explicit ModelCalls(harness::World& world) : world_(world) {}

  /// Task whose calls count: Python's main thread.
  void set_main(harness::TaskId task) { main_ = task; }
  harness::TaskId main() const { return main_; }

  Call& begin(const Asked& asked);
  void end(Call& call);
  /// The call that this task makes; null if it makes none.
  Call* current() const;
  const std::pmr::vector<Call*>& open() const { return calls_; }
  bool quiet() const { return calls_.empty(); }
  /// Another task than the current one is about to launch, or has and was not told so yet.
  bool launches_elsewhere() const;
  /// A call is making an executable of this graph, and was not told yet that it has.
  bool instantiates(const ModelGraph& graph) const;
  /// A call is adding a condition to this graph, or one inside: there is a handle before a node.
  bool adds_condition(const ModelGraph& graph) const;
  std::uint32_t script_calls() const { return script_calls_; }

  /// A capture has ended that was not valid any more: by the call that asks for it, or by no one's.
  void capture_failed();

  // ---- what may hold something up ----
  /// CUDA's threads or Python's queue do so now, and for this many calls of the script.
  void hold_up(std::uint32_t calls = 0) { held_up_at_ = script_calls_ + calls; }
  /// Returns the script's calls when something was held up last.
  std::uint32_t held_up_at() const { return held_up_at_; }
  void destructor_returned() {
    ++destructed_;
    held_up_at_ = std::max(held_up_at_, script_calls_);
  }
  /// How many destructors of user objects have returned.
  std::size_t destructed() const { return destructed_; }
  /// Python's queue was filled at some time.
  bool flooded() const { return flooded_; }
  /// Things that CUDA's threads have put off wait for a turn of the main thread that nothing has
  /// got.
  void set_stuck(bool stuck) { stuck_ = stuck; }
  bool stuck() const { return stuck_; }
  void finalizes() { finalizing_ = true; }
  bool finalizing() const { return finalizing_; }

 private:
  void met_condition(const ModelGraph& graph);

  /// How many calls of the script a flood of Python's queue outlasts, which has a step in each.
  static constexpr std::uint32_t kFloodCalls = 5;

  harness::World& world_;
  std::pmr::vector<Call*> calls_;
  harness::TaskId main_ = harness::TaskId::none;
  std::uint32_t call_count_ = 0;
  std::uint32_t script_calls_ = 0;
  std::uint32_t held_up_at_ = 0;
  std::size_t destructed_ = 0;
  bool flooded_ = false;
  bool stuck_ = false;
  bool finalizing_ = false;
};

}  // namespace scenarios::graph_argument
