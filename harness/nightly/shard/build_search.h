// SPDX-License-Identifier: Apache-2.0
// Build search: a cell that another build of the program searches, in a separate process.
//
// A sanitizer sees what the harness does not ask. Whatever the process finds goes the way of all
// findings: the program that runs the shard replays it, tries repairs on it, and records it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/record.h"

namespace harness::nightly {

/// The outcome of the process.
struct BuildSearch {
  std::string why_not;   ///< There was none; "" = it ran.
  std::string ended_as;  ///< It did not end by itself, or said nothing; "" = it did.
  std::string command;   ///< The line that runs it again.
  std::uint64_t runs = 0;
  double seconds = 0;
  InputsRecord inputs;                  ///< Those of a libFuzzer target.
  std::vector<FindingRecord> findings;  ///< Without a cause; files are named without a folder.
};

/// Returns what it comes to for the cell, whose reproducers are in `folder`.
CellRecord record_of(const Cell& cell, const BuildSearch& search, const std::string& folder);

/// Adds that the process did not end by itself, which is a finding as well, with the command in the
/// place of a reproducer, in `folder`. Does nothing if it did.
void add_bad_end(CellRecord& record, const BuildSearch& search, const std::string& folder);

}  // namespace harness::nightly
