// SPDX-License-Identifier: Apache-2.0
// Update: changes the state of a run by the facts of the path's program, and by the statements of
// the script.
#pragma once

#include "scenarios/managed_dict/model/reach.h"
#include "scenarios/managed_dict/model/state.h"

namespace scenarios::managed_dict {

/// Applies facts. It reads no byte. Ownership: owned by the judge. Borrows the state and the
/// windows.
class Update final : public targets::managed_dict::ProgramObserver {
 public:
  Update(State& state, Reached& reached) : state_(state), reached_(reached) {}

  void object_made(harness::BirthId object) override { state_.references.made(object); }
  void reference_taken(Address object) override { state_.references.add(*state_.heap, object, 1); }
  void reference_dropped(Address object) override {
    state_.references.add(*state_.heap, object, -1);
  }

  void instance_born(const targets::managed_dict::Birth& birth) override {
    state_.instances.add(birth);
  }
  void dict_published(Address object, Address dict) override;
  void dict_replaced(Address object, Address dict) override;
  void instance_emptied(Address object) override;
  void instance_died(Address object) override { state_.instances.remove(object); }

  void attribute_set(const targets::managed_dict::Assignment& assignment) override;
  void attribute_erased(Address object, Attribute attribute) override;
  void attributes_cleared(Address object) override;

 private:
  State& state_;
  Reached& reached_;
};

/// Applies a statement that the path has executed.
void apply(State& state, const Statement& statement);
/// There was no memory, so it is unknown how far the statement got.
void apply_failed(State& state, const Statement& statement);
/// There was no room for a new name in the shared keys.
void apply_overflow(Object& object);

}  // namespace scenarios::managed_dict
