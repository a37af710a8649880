// SPDX-License-Identifier: Apache-2.0
// Price: what each variant of a path costs, on programs that all of those compared survive.
//
// A variant survives a program if its run finds no fault, ends, and is not vacuous. A program that
// a compared variant does not survive is left out for all. A variant that survives none is not
// compared. If the others have less than a quarter of the programs in common, the one that survives
// the fewest (of several, the last in the table) is left out, too, until they do; otherwise hardly
// any program would use the path. Errors: as Runner::run.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/run/run.h"

namespace harness {

/// Sums over the compared programs.
struct Price {
  std::uint64_t ops = 0;          ///< Ops that began.
  std::uint64_t calls = 0;        ///< CUDA calls.
  std::uint64_t host_waits = 0;   ///< CUDA calls that wait for the device.
  std::uint64_t allocations = 0;  ///< Objects created: host and managed objects, memory, handles.
  std::uint64_t launches = 0;     ///< Launches that all compared variants made.
  /// Launches with a longer wait than in the variant with the shortest wait.
  std::uint64_t delayed = 0;
  std::uint64_t delay_turns = 0;  ///< Total number of turns by which they are later.
  std::uint64_t peak_bytes = 0;   ///< The most bytes that were alive at once, summed over the
                                  ///< programs.
  std::uint64_t byte_turns = 0;   ///< Live bytes, times the turns for which they were alive.
  bool operator==(const Price&) const = default;
};

/// A row: a variant, and its price or the reasons why it has none.
struct VariantPrice {
  std::size_t variant = 0;
  bool compared = true;
  std::uint64_t survived = 0;                     ///< Programs.
  std::map<std::string, std::uint64_t> failures;  ///< Number of lost programs, by reason.
  Price price;                                    ///< Valid if it was compared.
};

struct PriceTable {
  const Scenario* scenario = nullptr;
  std::size_t program_count = 0;
  std::vector<std::size_t> compared;   ///< Programs, by index.
  std::vector<VariantPrice> variants;  ///< Variants in the order of the scenario.
};

/// Runs each of the programs, which all belong to one path, in each of its variants.
PriceTable price(Runner& runner, std::span<const Case> programs);

/// Returns the seconds that each variant took for the compared programs, or 0 if it was not
/// compared. The minimum over `rounds` rounds, in which the variants take turns.
std::vector<double> host_seconds(Runner& runner, std::span<const Case> programs,
                                 const PriceTable& table, std::size_t rounds);

}  // namespace harness
