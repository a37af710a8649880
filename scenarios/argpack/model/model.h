// SPDX-License-Identifier: Apache-2.0
// Model: the state of the script and its programs, from the facts of the path.
//
// It has what every variable refers to, the values assigned to each thing, the bindings of each
// context, and what can still be used: by the references of the script, not by those that a policy
// keeps. update.h writes it; expect.h, refuse.h, reach.h and the judge read it. The target updates
// it only by facts, and the values in a fact are those that the scenario assigned, which the judge
// checks.
#pragma once

#include "harness/run/scenario/scenario.h"
#include "scenarios/argpack/model/records.h"

namespace scenarios::argpack {

/// Ownership: in the run's arena. Threads: facts come in the order of the path's own locks, which
/// TSan knows.
struct Model {
  Model() {
    things.reserve(32);
    gone.reserve(16);
    holders.reserve(8);
    things.push_back(nullptr);
  }
  Model(const Model&) = delete;  // Its things point at each other.
  Model& operator=(const Model&) = delete;

  std::pmr::vector<Thing*> things;   ///< By id; [0] is none.
  std::pmr::vector<Thing*> gone;     ///< Unreachable things whose object may still be alive.
  std::pmr::vector<Thing*> holders;  ///< Contexts that may still be in use.
  std::array<Thing*, targets::argpack::kVariableCount> variables{};
  std::uint32_t begun = 0;     ///< Generation of the program that began last.
  std::uint32_t ended = 0;     ///< Generation of the program that ended last.
  Serial serial = 0;           ///< Number of ops that have begun.
  std::uint32_t launches = 0;  ///< Number of submitted kernels.
  std::uint32_t finished = 0;  ///< Number of launches that are known to have finished.
  std::uint64_t setting = 0;   ///< One bit per task that is setting arguments for a launch.

  Thing* find(ThingId id) const { return things[harness::raw(id)]; }
  Context& context(ThingId id) const { return *find(id)->context; }
  Thing* held_by(Variable variable) const { return variables[variable]; }
  /// Returns the generation of the current program; 0 if there is none.
  std::uint32_t generation() const { return ended == begun ? 0 : begun; }
  /// Returns whether it, or a member, was made in an earlier program.
  bool is_stale(const Thing& thing) const {
    if (thing.kind == Kind::external || thing.kind == Kind::context) return false;
    return thing.generation != generation() ||
           std::any_of(thing.members.begin(), thing.members.end(),
                       [&](const Thing* member) { return member != nullptr && is_stale(*member); });
  }
  bool may_run(std::uint32_t launch) const { return launch > finished; }
  /// Returns whether a context that has not been launched binds it.
  bool is_bound(const Thing& thing) const {
    return std::any_of(holders.begin(), holders.end(),
                       [&](const Thing* holder) { return binds(*holder, thing); });
  }
  /// Returns whether the script cannot reach it and no context that can still be launched binds it.
  bool is_unusable(const Thing& thing) const {
    return thing.gone && std::none_of(holders.begin(), holders.end(), [&](const Thing* holder) {
             return !holder->gone && binds(*holder, thing);
           });
  }

 private:
  static bool binds(const Thing& holder, const Thing& thing) {
    return !holder.context->launched && holder.context->binding.has(thing);
  }
};

}  // namespace scenarios::argpack
