// SPDX-License-Identifier: Apache-2.0
// Choice: the fewest and narrowest repairs that explain all findings, each of which has a list of
// repairs that work for it.
//
// Repairs are chosen one after the other: the one that works for the most findings without a
// repair, by its cost; those findings are its members. A repair that costs less than all chosen
// ones that it could replace takes their place. The result does not depend on the order of the
// findings. Source: a greedy weighted set cover (Chvatal 1979).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace harness {

/// A repair that works for a finding.
struct RepairOption {
  std::size_t repair = 0;  ///< Its place among all repairs.
  bool is_own = false;     ///< It is about the very thing that the finding is about.
};

/// A repair that explains findings.
struct Explained {
  std::size_t repair = 0;
  std::vector<std::size_t> findings;  ///< Ascending; at least one.
};

/// Chooses repairs. `costs` has the cost of each; of equally good ones the first is chosen. A
/// finding without candidates is in no result.
std::vector<Explained> choose_causes(std::span<const unsigned> costs,
                                     std::span<const std::vector<RepairOption>> offers);

}  // namespace harness
