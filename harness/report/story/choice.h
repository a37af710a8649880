// SPDX-License-Identifier: Apache-2.0
// Choice: selects the lines of a story if there is no room for all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/report/story_lines.h"

namespace harness::reports {

/// A selected line, and the number of notable lines that were left out before it.
struct ChosenLine {
  std::size_t index;
  std::size_t left_out;
};

/// Returns the selected lines, in order. Each takes `heights` rows of the screen, and one more if
/// lines were left out before it. They take at most `room` rows, not counting the faults at the
/// end, which are always selected.
std::vector<ChosenLine> chosen_lines(std::span<const Line> lines,
                                     std::span<const std::size_t> heights, std::size_t room);

}  // namespace harness::reports
