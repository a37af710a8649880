// SPDX-License-Identifier: Apache-2.0
// Effectiveness: whether the head finds the same faults as soon as the base, minimizes them in as
// few runs, and to the same size.
//
// Both sides search the same unsound variants with different seeds, because equal seeds would give
// equal counts and prove nothing. For each search, the run of the first fault in each window
// counts, or that its limit was reached without one. The windows of all variants are the strata of
// one test for each measure (log_rank.h), or have one test each. Threads: nothing is shared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/log_rank.h"
#include "harness/gate/rule.h"

namespace harness::gate {

/// The minimized first fault in a window.
struct Plainness {
  std::uint64_t runs = 0;  ///< Number of runs of the minimizer.
  std::uint64_t size = 0;  ///< Number of remaining ops and other choices.
  bool operator==(const Plainness&) const = default;
};

/// The result of a search in one window.
struct FirstFault {
  std::uint64_t run = 0;  ///< Counted from 1; 0 if none was found within the limit.
  std::optional<Plainness> minimized;
  bool operator==(const FirstFault&) const = default;
};

/// A search of one variant: its windows by name.
struct SearchSample {
  std::uint64_t seed = 0;
  std::map<std::string, FirstFault> windows;
  bool operator==(const SearchSample&) const = default;
};

/// All searches of one side: the same number for each variant, numbered from `first`.
struct SideSample {
  std::string strategy;
  std::uint64_t first = 1;
  std::uint64_t limit = 0;  ///< Limit of runs of a search.
  std::map<std::string, std::vector<SearchSample>> variants;
  bool operator==(const SideSample&) const = default;

  std::uint64_t search_count() const;  ///< Returns the number of searches of each variant.
};

struct EffectivenessRule {
  double level = 0.001;      ///< Probability of calling any measure worse if nothing changed.
  double power = 0.95;       ///< Probability of detecting `factor`.
  double factor = 2;         ///< Factor of the runs to a fault that must be detected.
  bool each_window = false;  ///< One test per window, not one for all windows.
};

/// The result of one test.
struct EffectivenessRow {
  std::string name;
  double base = 0;  ///< Geometric mean; a search without a fault counts with the limit.
  double head = 0;
  LogRank rank;
  /// The test is about runs to a fault, for which a factor is defined and a lack of power must be
  /// reported.
  bool has_factor = false;
  std::uint64_t wanted_searches = 0;  ///< Per side, to detect the rule's factor; 0 if impossible.
  Verdict verdict = Verdict::undecided;
};

/// Compares two sides. A variant or window of only one side has a separate row, new or gone. A test
/// of runs to the first fault without a significant result is undecided if there are too few
/// searches to detect the rule's factor. Errors: std::runtime_error if the sides share a search, or
/// their parameters differ.
std::vector<EffectivenessRow> compare(const SideSample& base, const SideSample& head,
                                      const EffectivenessRule& rule);

}  // namespace harness::gate
