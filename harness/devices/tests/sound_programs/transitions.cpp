// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/tests/sound_programs/transitions.h"

namespace harness::testing::sound {

const Transition& transition(State from, Via via) {
  static const auto table = [] {
    std::array<std::array<const Transition*, raw(Via::count)>, raw(State::count)> made{};
    for (auto& row : made) row.fill(&kNoTransition);
    for (const Transition& each : kTransitions)
      if (&each != &kNoTransition) made[raw(each.from)][raw(each.via)] = &each;
    return made;
  }();
  return from == State::count ? kNoTransition : *table[raw(from)][raw(via)];
}

const char* name_of(State state) {
  static constexpr const char* kNames[] = {
#define STATE(name) #name,
#include "harness/devices/tests/sound_programs/transitions.def"
      "no state"};
  return kNames[raw(state)];
}

const char* name_of(Via via) {
  static constexpr const char* kNames[] = {
#define VIA(name) #name,
#include "harness/devices/tests/sound_programs/transitions.def"
      "nothing"};
  return kNames[raw(via)];
}

}  // namespace harness::testing::sound
