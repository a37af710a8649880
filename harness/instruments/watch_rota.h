// SPDX-License-Identifier: Apache-2.0
// Watch rota: which of many things get one of the few hardware watchpoints, and when.
//
// A run is a pure function of its tape, so it may be repeated: in turn t of n, the things of the
// t-th, t+n-th ... group of four (by their order of birth) are watched while they live. With one
// turn, code that is born while a register is free is watched. As many turns as there are groups
// watch all.
#pragma once

#include <cstddef>

#include "harness/instruments/hardware_watch.h"

namespace harness::instruments {

struct WatchRota {
  std::size_t turn = 0;
  std::size_t turn_count = 1;

  /// How many repetitions of a run in which `thing_count` things are born watch each of them.
  static constexpr std::size_t turns_for(std::size_t thing_count) {
    const std::size_t groups =
        (thing_count + HardwareWatch::kRegisterCount - 1) / HardwareWatch::kRegisterCount;
    return groups == 0 ? 1 : groups;
  }

  /// Whether the `nth` thing to be born, counted from 0, is watched in this turn.
  constexpr bool wants(std::size_t nth) const {
    return nth / HardwareWatch::kRegisterCount % turn_count == turn;
  }
};

}  // namespace harness::instruments
