// Windows: the places where the race can happen, by their numbers in README.md.
#pragma once

#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

enum class Window : std::uint8_t {
  r1,
  r2,
  r3,
  r4,
  r5,
  r6,
  r7,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r15,
  r16,
  r17,
  r18,
  r19,
  r20,
  r21,
};
inline constexpr std::size_t kWindowCount = 21;

}  // namespace scenarios::graph_argument
