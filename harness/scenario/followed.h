// SPDX-License-Identifier: Apache-2.0
// Followed: what a path does in memory of its own, which no call of the driver shows, for the trail
// of a run (harness/history/trail.h).
#pragma once

#include <initializer_list>

#include "harness/history/trail.h"
#include "harness/world.h"

namespace harness {

/// Returns whether the run under way leaves a trail.
inline bool is_followed() { return Trail::current() != nullptr; }

/// Adds a step of the running task, with what goes with it: no addresses of ours. A trail must be
/// there.
inline void follow_step(World& world, Trail::Kind kind, Label what,
                        std::initializer_list<std::uint64_t> values) {
  Trail& trail = *Trail::current();
  trail.add({.kind = kind,
             .what = what,
             .site = world.scheduler.site(),
             .activation = world.picker.current().name});
  std::uint8_t argument = 0;
  for (const std::uint64_t value : values) trail.add(++argument, value);
}

}  // namespace harness
