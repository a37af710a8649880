// SPDX-License-Identifier: Apache-2.0
// Names: the wrappers of a script, and the variables and cycles that refer to them.
#pragma once

#include "scenarios/graph_argument/model/records.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the world; a wrapper's record is in the run's arena.
class Names {
 public:
  explicit Names(harness::World& world) : world_(world) {}

  Wrapped& wrap(Kind kind);
  Wrapped* find(Wrapper wrapper) const;
  const std::pmr::vector<Wrapped*>& all() const { return wrapped_; }

  // ---- references ------------
  Wrapped* held(Variable variable) const { return variables_[variable]; }
  /// The variable now holds the wrapper, or nothing if it is null.
  void store(Variable variable, Wrapped* wrapped);
  /// Returns the empty variables.
  Variables empty() const { return empty_; }
  void add_cycle(harness::BirthId life, Wrapped* held) { cycles_.push_back({life, held}); }
  bool is_referenced(const Wrapped& wrapped) const;

 private:
  struct Cycle {
    harness::BirthId life;
    Wrapped* held;
  };

  harness::World& world_;
  std::pmr::vector<Wrapped*> wrapped_;
  std::array<Wrapped*, targets::graph_argument::kVariableCount> variables_{};
  Variables empty_ = range(0, targets::graph_argument::kVariableCount);
  std::pmr::vector<Cycle> cycles_;
};

}  // namespace scenarios::graph_argument
