// SPDX-License-Identifier: Apache-2.0
// Timeline choice: which moments of a run are drawn: all that the fault is about, then the ops,
// then what comes close to them, as far as there is room.
#pragma once

#include <span>
#include <vector>

#include "harness/reports/fault_sides.h"
#include "harness/reports/timeline/timeline.h"

namespace harness::reports {

/// More rows than these are no picture.
inline constexpr std::size_t kRowLimit = 40;

/// Indices into what is reported, ascending.
std::vector<std::size_t> chosen(const Telling& telling, const Teller& teller,
                                std::span<const Told> told, const FaultSides& sides, Extent extent);

}  // namespace harness::reports
