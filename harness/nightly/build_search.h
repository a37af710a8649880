// Build search: a cell that another build of the program searches, in a process of its own.
//
// A sanitizer sees what the harness does not ask. Whatever the process finds goes the way of all
// findings: the program that runs the shard replays it, tries repairs on it, and records it.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/database.h"
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
/// place of a reproducer, in `folder`. Does nothing where it did.
void add_bad_end(CellRecord& record, const BuildSearch& search, const std::string& folder);

/// The searches of one build in a night.
struct BuildSearches {
  std::string build;
  std::string why_not;         ///< Why some did not run; "" = all did.
  std::uint64_t variants = 0;  ///< Those that it was to search.
  std::uint64_t not_run = 0;   ///< Those that it did not, in some shard.
  std::uint64_t runs = 0;
  double seconds = 0;
  std::uint64_t inputs_given = 0;
  std::uint64_t inputs_survived = 0;
};

/// Adds a cell of another build to a history.
void add_build_cell(Database& database, const std::string& night, std::uint64_t shard,
                    const CellRecord& record);

/// Keeps the corpus that a target's cell leaves in the night of this number, in place of one that
/// an earlier night left. A target has one cell in a night.
void keep_inputs(Database& database, std::uint64_t number, const CellRecord& record);

/// Returns the corpora for the plan of the next night, by path and variant.
std::vector<VariantInputs> kept_inputs(Database& database);

/// Returns the searches of a night, by name of the build.
std::vector<BuildSearches> build_searches_of(Database& database, const std::string& night);

}  // namespace harness::nightly
