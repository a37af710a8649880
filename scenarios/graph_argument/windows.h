// Windows: the places where the race can happen, by their numbers in README.md; and the labels by
// which a death tells the window that it is in.
#pragma once

#include <optional>

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

/// Where a buffer ends that the script has closed.
inline constexpr harness::Label kCloseSite = "Buffer.close";
/// Where a thing ends in that window: "Buffer.__dealloc__/R6".
harness::Label death_site(targets::graph_argument::ThingKind kind, Window window);
/// The window in such a label; none in any other.
std::optional<Window> window_of_death(harness::Label site);

}  // namespace scenarios::graph_argument
