// SPDX-License-Identifier: Apache-2.0
// Followed: adds accesses of a path to its private memory, which no driver call shows, to the trail
// of a run (harness/core/history/trail.h).
#pragma once

#include <initializer_list>

#include "harness/core/history/trail.h"
#include "harness/core/world.h"

namespace harness {

/// Returns whether the current run has a trail.
inline bool is_followed() { return Trail::current() != nullptr; }

/// Adds a step of the running task with its values. They must not be addresses. There must be a
/// trail.
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
