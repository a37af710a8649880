// SPDX-License-Identifier: Apache-2.0
// ModelLosses: the lives that CUDA has begun for a script, and which of them nothing can use any
// more: neither a variable leads to it, nor a graph that can be reached, nor an executable that is
// open, nor a launch that may still run.
#pragma once

#include "scenarios/graph_argument/model/calls.h"
#include "scenarios/graph_argument/model/graphs.h"
#include "scenarios/graph_argument/model/names.h"
#include "scenarios/graph_argument/model/runs.h"
#include "scenarios/graph_argument/model/things.h"

namespace scenarios::graph_argument {

/// A life of CUDA's, and what makes it of use.
struct Holding {
  enum class Of : std::uint8_t { thing, graph, exec, stream, second_stream, call };
  harness::BirthId life;
  Of of;
  Thing* thing = nullptr;
  ModelGraph* graph = nullptr;  ///< Graph that a call was for.
  ModelExec* exec = nullptr;
  Wrapped* builder = nullptr;
  std::uint32_t call = 0;
  std::uint32_t lost_at = 0;  ///< The script's calls when nothing could use it any more; 0: of use.
  bool awaited = false;       ///< Lost before the wait that was to end it began.
  bool overdue = false;
  bool stuck = false;          ///< Found where Python's queue had had no room for what was put off.
  harness::Name found_in = 0;  ///< Where it was found to be.
  harness::Tick found_at = 0;
};

/// Ownership: borrows all.
class ModelLosses {
 public:
  ModelLosses(const harness::Ledger& ledger, const ModelCalls& calls, const ModelNames& names,
              const ModelThings& things, const ModelGraphs& graphs, const ModelRuns& runs)
      : ledger_(ledger),
        calls_(calls),
        names_(names),
        things_(things),
        graphs_(graphs),
        runs_(runs) {}

  void hold(Holding holding) {
    if (holding.life != harness::BirthId::none) holdings_.push_back(holding);
  }
  /// Something may be lost from now on.
  void change() { changed_ = true; }
  /// There is reason to look: something may be lost, or is.
  bool may_have_some() const { return changed_ || some_alive_; }
  /// Looks who is lost by now. Returns whether another that is lost is alive. In between calls.
  bool look();

  std::pmr::vector<Holding>& holdings() { return holdings_; }
  /// Returns things that were found to be there for too long, whatever became of them afterwards.
  std::pmr::vector<Holding>& overdue() { return overdue_; }
  const std::pmr::vector<Holding>& overdue() const { return overdue_; }

 private:
  bool is_used(const Thing& thing) const;
  bool is_used(const Holding& holding) const;
  bool is_used(std::uint32_t call) const;
  bool is_only_one(const Holding& holding) const;
  bool is_reachable(const ModelGraph& root) const;
  bool is_open(const ModelExec& exec) const;
  /// A node that something holds passes the test.
  template <class Test>
  bool any_held(Test test) const;

  const harness::Ledger& ledger_;
  const ModelCalls& calls_;
  const ModelNames& names_;
  const ModelThings& things_;
  const ModelGraphs& graphs_;
  const ModelRuns& runs_;
  std::pmr::vector<Holding> holdings_;
  std::pmr::vector<Holding> overdue_;
  bool changed_ = false;     ///< Since look() was called.
  bool some_alive_ = false;  ///< Finding of look().
};

}  // namespace scenarios::graph_argument
