// SPDX-License-Identifier: Apache-2.0
// Watch rota: assigns the few hardware watchpoints to many objects, and decides when.
//
// A run is a pure function of its tape, so it can be repeated. In turn t of n, the objects of every
// n-th group of four (by order of birth), beginning with the t-th, are watched while they are
// alive. With one turn, an object is watched if a register is free at its birth. As many turns as
// there are groups cover all objects.
#pragma once

#include <cstddef>

#include "harness/core/instruments/hardware_watch.h"

namespace harness::instruments {

struct WatchRota {
  std::size_t turn = 0;
  std::size_t turn_count = 1;

  /// Returns how many repetitions of a run with `thing_count` objects watch each of them.
  static constexpr std::size_t turns_for(std::size_t thing_count) {
    const std::size_t groups =
        (thing_count + HardwareWatch::kRegisterCount - 1) / HardwareWatch::kRegisterCount;
    return groups == 0 ? 1 : groups;
  }

  /// Returns whether the `nth` object, counted from 0, is watched in this turn.
  constexpr bool wants(std::size_t nth) const {
    return nth / HardwareWatch::kRegisterCount % turn_count == turn;
  }
};

}  // namespace harness::instruments
