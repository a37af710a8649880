// SPDX-License-Identifier: Apache-2.0
// Choice: which lines of a story are told where there is no room for all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/reports/story_lines.h"

namespace harness::reports {

/// How many lines that are worth a word were left out before each of those told.
struct ChosenLine {
  std::size_t index;
  std::size_t left_out;
};

/// Returns the lines to tell, in order. They take `heights` rows of the screen each, and a row more
/// where lines were left out before them; `room` rows in all, but for the faults at the end, which
/// are told in any case.
std::vector<ChosenLine> chosen_lines(std::span<const Line> lines,
                                     std::span<const std::size_t> heights, std::size_t room);

}  // namespace harness::reports
