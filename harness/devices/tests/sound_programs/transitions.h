// SPDX-License-Identifier: Apache-2.0
// Transitions: the lifecycles of the driver's objects as a program sees them, one row per step. A
// program that makes a step without a row is not sound; a row that no program uses is not covered.
#pragma once

#include <array>
#include <cstdint>

#include "harness/base/base.h"

namespace harness::testing::sound {

enum class State : std::uint8_t {
#define STATE(name) name,
#include "harness/devices/tests/sound_programs/transitions.def"
  count
};

enum class Via : std::uint8_t {
#define VIA(name) name,
#include "harness/devices/tests/sound_programs/transitions.def"
  count
};

struct Transition {
  State from;
  Via via;
  State to;
};

/// The last element is kNoTransition.
inline constexpr Transition kTransitions[] = {
#define TRANSITION(from, via, to) {State::from, Via::via, State::to},
#include "harness/devices/tests/sound_programs/transitions.def"
    {State::count, Via::count, State::count},
};
inline constexpr std::size_t kTransitionCount = std::size(kTransitions) - 1;
inline constexpr const Transition& kNoTransition = kTransitions[kTransitionCount];

const Transition& transition(State from, Via via);
const char* name_of(State state);
const char* name_of(Via via);

}  // namespace harness::testing::sound
