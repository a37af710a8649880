// SPDX-License-Identifier: Apache-2.0
// Build search: the search of a cell by another build of the program, in a separate process.
//
// A sanitizer detects more than the harness checks. Findings of the process are treated like
// others: the shard's program replays them, tries repairs on them, and records them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/record.h"

namespace harness::nightly {

/// The result of the process.
struct BuildSearch {
  std::string why_not;   ///< Why it did not run; "" = it ran.
  std::string ended_as;  ///< How it crashed, or that it printed no result; "" = it ended normally.
  std::string command;   ///< The command that runs it again.
  std::uint64_t runs = 0;
  double seconds = 0;
  InputsRecord inputs;                  ///< For a libFuzzer target.
  std::vector<FindingRecord> findings;  ///< Without causes; file names are relative.
};

/// Returns the cell's record of the search. Its reproducers are in `folder`.
CellRecord record_of(const Cell& cell, const BuildSearch& search, const std::string& folder);

/// If the process did not end normally, adds that as a finding, with the command instead of a
/// reproducer, in `folder`.
void add_bad_end(CellRecord& record, const BuildSearch& search, const std::string& folder);

}  // namespace harness::nightly
