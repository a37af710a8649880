// SPDX-License-Identifier: Apache-2.0
// Root: the root cause of findings. Two findings have the same root if the same repair removes both
// (harness/search/triage/triage.h).
//
// A shard tries repairs on each of its findings separately, and records those that work. When all
// shards of a night are in the history, each finding without a root gets one: a known root of its
// path whose repair works for the finding, the cheapest first; else one of the fewest and narrowest
// repairs that explain all such findings of the path (choice.h). So a root keeps its name over
// nights, and the result does not depend on the order of shards. Findings without a repair are
// distinguished by their first fault, in any place or variant.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/database.h"
#include "harness/nightly/plan.h"

namespace harness::nightly {

/// A repair that works for a finding.
struct RepairRecord {
  std::string words;    ///< Identifies the repair.
  unsigned cost = 0;    ///< Higher for a repair that is less specific.
  bool is_own = false;  ///< It concerns the finding's own object.
  bool operator==(const RepairRecord&) const = default;
};

/// The data that determines a finding's root.
struct Sorted {
  std::vector<RepairRecord> repairs;  ///< Repairs that work for it.
  std::string first;                  ///< Fault::what() if no repair works; "" if unknown.
  bool operator==(const Sorted&) const = default;
};

/// Returns repairs as text, or the first fault if there are none.
std::string to_text(const Sorted& sorted);
/// Parses the result of to_text(). Errors: std::runtime_error with one line.
Sorted parse_sorted(const std::string& text);

/// Returns the name of a root of the path: 16 hexadecimal digits. `what`: a repair in words, or the
/// first fault.
std::string root_of(const std::string& path, const std::string& what);

/// Determines the root of each finding that has none and whose repairs were tried.
void sort_by_root(Database& database);

/// Returns the repairs that name roots, with the findings of each root, by path and words.
std::vector<KnownRepair> known_repairs(Database& database);

}  // namespace harness::nightly
