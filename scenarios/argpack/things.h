// SPDX-License-Identifier: Apache-2.0
// Things: what each variable and member of the script refers to, and what can no longer be used.
#pragma once

#include "harness/run/scenario/scenario.h"
#include "scenarios/argpack/thing.h"

namespace scenarios::argpack {

/// Ownership: things are in the run's arena; borrows the scene and the progress.
class Things {
 public:
  Things(harness::Scene& scene, const Progress& progress) : scene_(scene), progress_(progress) {
    things_.reserve(32);
    gone_.reserve(16);
    things_.push_back(nullptr);
  }

  Thing* held_by(Variable variable) const { return variables_[variable]; }
  Thing* find(ThingId id) const { return things_[harness::raw(id)]; }
  std::uint32_t generation() const { return generation_; }  ///< Returns 0 if there is none.
  /// Returns whether it, or a member, was made in an earlier program.
  bool is_stale(const Thing& thing) const;
  /// Returns unusable things whose object may still be alive.
  std::pmr::vector<Thing*>& gone() { return gone_; }

  // ---- facts: see targets::argpack::Observer ----
  void program_began(std::uint32_t generation) { generation_ = generation; }
  void program_ended() { generation_ = 0; }
  Thing& made(const targets::argpack::Making& making);
  void built(ThingId thing, harness::BirthId object, std::uint32_t generation);
  void referred(ThingId thing) { link(find(thing)); }
  void dropped(ThingId thing) { unlink(find(thing)); }
  void ended(ThingId thing) { lose(*find(thing)); }
  void attached(ThingId thing, std::size_t member, ThingId value);
  void stored(Variable variable, ThingId thing) { variables_[variable] = find(thing); }

  /// Dates a thing, which may be null: one of its users releases it now.
  void release(Thing* thing) const;

 private:
  void link(Thing* thing);
  void unlink(Thing* thing);
  void lose(Thing& thing);

  harness::Scene& scene_;
  const Progress& progress_;
  std::pmr::vector<Thing*> things_;  ///< By id; [0] is none.
  std::pmr::vector<Thing*> gone_;
  std::array<Thing*, targets::argpack::kVariableCount> variables_{};
  std::uint32_t generation_ = 0;
};

}  // namespace scenarios::argpack
