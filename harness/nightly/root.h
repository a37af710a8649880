// SPDX-License-Identifier: Apache-2.0
// Root: the root cause of findings. Two have one where the same repair removes both
// (harness/triage.h).
//
// A shard tries repairs on each of its findings, by itself, and records those that work. Once all
// shards of a night are in the history, each finding that has no root yet is given one: that of a
// root of its path which is known, where its repair works for the finding, the cheapest first; else
// one of the fewest and narrowest that explain all such findings of the path (choice.h). So a root
// keeps its name over nights, and what a night finds is the same whichever shard came first. What
// no repair removes is distinguished by what goes wrong first, wherever and in whatever variant.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/database.h"
#include "harness/nightly/plan.h"

namespace harness::nightly {

/// A repair that works for a finding.
struct RepairRecord {
  std::string words;    ///< By which repairs are distinguished.
  unsigned cost = 0;    ///< More where it leaves more open.
  bool is_own = false;  ///< It is about the very thing that the finding is about.
  bool operator==(const RepairRecord&) const = default;
};

/// A finding's root follows from this.
struct Sorted {
  std::vector<RepairRecord> repairs;  ///< Those that work for it.
  std::string first;                  ///< Fault::what() where none does; "" = not known.
  bool operator==(const Sorted&) const = default;
};

/// Returns repairs as text, or what goes wrong first where there are none.
std::string to_text(const Sorted& sorted);
/// Reads what to_text() wrote. Errors: std::runtime_error with one line.
Sorted parse_sorted(const std::string& text);

/// Returns the name of a path's root: 16 hexadecimal digits. `what` is a repair in words, or
/// what goes wrong first.
std::string root_of(const std::string& path, const std::string& what);

/// Gives a root to each finding that has none, and whose repairs were tried.
void sort_by_root(Database& database);

/// Returns the repairs that name roots, and the findings that have them, by path and words.
std::vector<KnownRepair> known_repairs(Database& database);

}  // namespace harness::nightly
