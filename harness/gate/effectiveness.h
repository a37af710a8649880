// SPDX-License-Identifier: Apache-2.0
// Effectiveness: whether the head finds what the base finds as soon, minimizes it in as few runs
// and makes it as small.
//
// Both sides search the same unsound variants, with other seeds: equal seeds would give equal
// counts and prove nothing. Of each search counts the run of the first fault in each window, or
// that its limit passed without one. The windows of all variants are the strata of one test for
// each measure (log_rank.h), or of a test each.
// Threads: none of it is shared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/log_rank.h"
#include "harness/gate/rule.h"

namespace harness::gate {

/// The first fault in a window, minimized.
struct Plainness {
  std::uint64_t runs = 0;  ///< That it took.
  std::uint64_t size = 0;  ///< Ops and other choices that are left.
  bool operator==(const Plainness&) const = default;
};

/// The outcome of a search in one window.
struct FirstFault {
  std::uint64_t run = 0;  ///< Counted from 1; 0: none was found within the limit.
  std::optional<Plainness> minimized;
  bool operator==(const FirstFault&) const = default;
};

/// A search of one variant: its windows by name.
struct SearchSample {
  std::uint64_t seed = 0;
  std::map<std::string, FirstFault> windows;
  bool operator==(const SearchSample&) const = default;
};

/// All searches of one side: of each variant as many, numbered from `first` on.
struct SideSample {
  std::string strategy;
  std::uint64_t first = 1;
  std::uint64_t limit = 0;  ///< Runs of a search.
  std::map<std::string, std::vector<SearchSample>> variants;
  bool operator==(const SideSample&) const = default;

  std::uint64_t search_count() const;  ///< Returns the searches of each variant.
};

struct EffectivenessRule {
  double level = 0.001;      ///< Probability of calling any measure worse if nothing changed.
  double power = 0.95;       ///< Probability of finding the factor that has to be detected.
  double factor = 2;         ///< Factor of runs to a fault that must be detected.
  bool each_window = false;  ///< A test for each window instead of one for all of them.
};

/// One test.
struct EffectivenessRow {
  std::string name;
  double base = 0;  ///< Geometric mean; of searches that found nothing the limit counts.
  double head = 0;
  LogRank rank;
  /// Whether the test is about runs to a fault, for which a factor is known and a lack of power
  /// must be reported.
  bool has_factor = false;
  std::uint64_t wanted_searches = 0;  ///< On a side, to find the rule's factor; 0: none do.
  Verdict verdict = Verdict::undecided;
};

/// Compares two sides. If one has a variant or window that the other has not, that is a row by
/// itself, new or gone. A test of runs to the first fault that finds nothing is undecided where so
/// few searches would not find the rule's factor either. Errors: std::runtime_error if the sides
/// share a search, or differ in their terms.
std::vector<EffectivenessRow> compare(const SideSample& base, const SideSample& head,
                                      const EffectivenessRule& rule);

}  // namespace harness::gate
