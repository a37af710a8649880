// SPDX-License-Identifier: Apache-2.0
// Timeline choice: selects the events of a run to draw: the sides of the fault, then ops, then
// related events, as far as there is room.
#pragma once

#include <span>
#include <vector>

#include "harness/report/fault_sides.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {

/// The most rows that a reader can follow.
inline constexpr std::size_t kRowLimit = 40;

/// Returns ascending indices into the reported events.
std::vector<std::size_t> chosen(const Telling& telling, const Teller& teller,
                                std::span<const StoryItem> items, const FaultSides& sides,
                                Extent extent);

}  // namespace harness::reports
