// Choice: the fewest and narrowest repairs that explain all findings, of which each has a list of
// repairs that work for it.
//
// One after the other the repair is chosen that works for the most findings that have none yet, by
// its cost; those findings are its members. A repair that costs less than all those chosen that it
// could stand for takes their place. No answer depends on the order of the findings.
// Source: a greedy weighted set cover (Chvatal 1979).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace harness {

/// A repair that works for a finding.
struct Offer {
  std::size_t repair = 0;  ///< Its place among all repairs.
  bool is_own = false;     ///< It is about the very thing that the finding is about.
};

/// A repair that explains findings.
struct Explained {
  std::size_t repair = 0;
  std::vector<std::size_t> findings;  ///< Ascending; at least one.
};

/// Chooses. `costs` has the cost of each repair; of equally good ones the first is chosen. A
/// finding that nothing is offered for is in none of the answers.
std::vector<Explained> choose_causes(std::span<const unsigned> costs,
                                     std::span<const std::vector<Offer>> offers);

}  // namespace harness
