// SPDX-License-Identifier: Apache-2.0
// Losses: the objects that CUDA has made for a script, and which are unusable: no variable,
// reachable graph, open executable, or launch that may still run leads to them.
#pragma once

#include "scenarios/graph_argument/model/calls.h"
#include "scenarios/graph_argument/model/names.h"

namespace scenarios::graph_argument {

/// Sites of the leak of an object that was unusable for too long: while the script ran, or because
/// nothing has retried the pending call that Python's full queue had refused.
inline constexpr harness::Label kBoundSite = "bound";
inline constexpr harness::Label kStuckSite = "Py_AddPendingCall";

/// An object made by CUDA, and whatever may still use it.
struct Holding {
  enum class Of : std::uint8_t { thing, graph, exec, stream, second_stream, call };
  harness::BirthId life;
  Of of;
  Thing* thing = nullptr;
  Graph* graph = nullptr;  ///< Graph that the call worked on.
  Exec* exec = nullptr;
  Wrapped* builder = nullptr;
  std::uint32_t call = 0;
  std::uint32_t lost_at = 0;  ///< Script calls when it became unusable, plus 1; 0 if usable.
  bool awaited = false;       ///< It was lost before the current wait began.
  bool overdue = false;
  bool stuck = false;          ///< Python's queue had no room for deferred work when it was found.
  harness::Name found_in = 0;  ///< Activation in which it was found.
  harness::Tick found_at = 0;
};

/// Ownership: borrows all.
class Losses {
 public:
  Losses(const harness::Ledger& ledger, const Calls& calls, const Names& names,
         const Records& records)
      : ledger_(ledger), calls_(calls), names_(names), records_(records) {}

  void hold(Holding holding) {
    if (holding.life != harness::BirthId::none) holdings_.push_back(holding);
  }
  /// Notes that objects may have become unusable.
  void change() { changed_ = true; }
  /// Returns whether look() is needed: something may be lost, or is.
  bool may_have_some() const { return changed_ || some_alive_; }
  /// Updates which objects are lost. Returns whether a lost one is alive. Called between calls.
  bool look();

  std::pmr::vector<Holding>& holdings() { return holdings_; }

 private:
  bool is_used(const Thing& thing) const;
  bool is_used(const Holding& holding) const;
  bool is_used(std::uint32_t call) const;
  bool is_only_one(const Holding& holding) const;
  bool is_reachable(const Graph& root) const;
  bool is_open(const Exec& exec) const;
  /// Returns whether a node that something holds passes the test.
  template <class Test>
  bool any_held(Test test) const;

  const harness::Ledger& ledger_;
  const Calls& calls_;
  const Names& names_;
  const Records& records_;
  std::pmr::vector<Holding> holdings_;
  bool changed_ = false;     ///< Since the last look().
  bool some_alive_ = false;  ///< Result of the last look().
};

}  // namespace scenarios::graph_argument
