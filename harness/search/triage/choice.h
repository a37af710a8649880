// SPDX-License-Identifier: Apache-2.0
// Choice: selects the fewest and narrowest repairs that explain all findings, each of which has a
// list of repairs that work for it.
//
// Repairs are selected one after the other: the one that works for the most remaining findings in
// relation to its cost; these findings become its members. A repair that costs less than all
// selected ones that it can replace takes their place. The result does not depend on the order of
// the findings. Source: a greedy weighted set cover (Chvatal 1979).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace harness {

/// A repair that works for a finding.
struct RepairOption {
  std::size_t repair = 0;  ///< Its index among all repairs.
  bool is_own = false;     ///< It concerns the finding's own object.
};

/// A repair and the findings that it explains.
struct Explained {
  std::size_t repair = 0;
  std::vector<std::size_t> findings;  ///< Ascending; at least one.
};

/// Selects repairs. `costs`: the cost of each repair. Of equally good ones, the first is selected.
/// A finding without repairs is in no result.
std::vector<Explained> choose_causes(std::span<const unsigned> costs,
                                     std::span<const std::vector<RepairOption>> offers);

}  // namespace harness
