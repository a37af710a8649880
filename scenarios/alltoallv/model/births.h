// SPDX-License-Identifier: Apache-2.0
// Births: the objects that a call of a rank has made.
#pragma once

#include "scenarios/alltoallv/model/state.h"

namespace scenarios::alltoallv {

/// The births since its construction that belong to the activation in which it was made. Lifetime:
/// borrows the world.
class Births {
 public:
  explicit Births(harness::World& world)
      : ledger_(world.ledger),
        activation_(world.picker.current().name),
        first_(world.ledger.lives().size()) {}

  /// Returns the last allocation of device memory, or none.
  BirthId last_allocation() const {
    BirthId found = BirthId::none;
    for_each(kDeviceMemory, [&](BirthId life) { found = life; });
    return found;
  }
  /// Returns whether all allocations have died.
  bool all_freed() const {
    bool freed = true;
    for_each(kDeviceMemory, [&](BirthId life) { freed &= !ledger_.alive(life); });
    return freed;
  }
  /// Calls `visit(life)` for each birth of that kind, in order.
  template <class Visit>
  void for_each(harness::Label kind, Visit visit) const {
    const auto& lives = ledger_.lives();
    for (std::size_t i = first_; i < lives.size(); ++i)
      if (lives[i].kind == kind && lives[i].birth_activation == activation_)
        visit(static_cast<BirthId>(i));
  }

 private:
  const harness::Ledger& ledger_;
  harness::Name activation_;
  std::size_t first_;
};

}  // namespace scenarios::alltoallv
