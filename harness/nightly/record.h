// SPDX-License-Identifier: Apache-2.0
// Record: the results of a shard as plain data and as text.
//
// If the budget is in runs, everything except times and resource use is a function of the plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/plan.h"

namespace harness::nightly {

struct WindowRecord {
  std::string window;
  std::uint64_t reached = 0;  ///< Number of runs that reached it.
  std::uint64_t caught = 0;   ///< Number of runs with a fault in it.
  bool operator==(const WindowRecord&) const = default;
};

struct FindingRecord {
  std::string cause;  ///< Its identity (cause.h).
  std::string kind;   ///< See cause.h.
  std::string hazard;
  std::string signature;
  std::uint64_t runs = 0;       ///< Runs that showed it.
  std::uint64_t first_run = 0;  ///< Counted from 1.
  bool minimized = false;
  std::string file;        ///< File name of the reproducer, relative to the shard's folder.
  std::string reproducer;  ///< Its text.
  std::string difference;  ///< How its replay differed from the file; "" = it did not.
  /// Repairs that remove it, in the text form of root.h. Only the one that the plan knows, if that
  /// works; "" = not tried.
  std::string repairs = {};
  /// Runs outside of the cell's own search that showed it: those around tapes.
  std::uint64_t other_runs = 0;
  bool operator==(const FindingRecord&) const = default;
};

/// The results of a cell's tapes, and the tapes that it keeps.
struct TapesRecord {
  std::uint64_t given = 0;
  std::uint64_t replayed = 0;
  std::uint64_t survived = 0;  ///< Tapes that still reach all their features.
  std::uint64_t runs = 0;      ///< Replays, and runs of the search around the tapes.
  std::vector<KeptTape> kept;  ///< Ordered by features.
  bool operator==(const TapesRecord&) const = default;
};

/// The corpus of a libFuzzer target: statistics of the given inputs, and the inputs that it keeps.
struct InputsRecord {
  std::uint64_t given = 0;
  std::uint64_t survived = 0;     ///< Inputs that cover something that no smaller one covers.
  std::vector<std::string> kept;  ///< Bytes as hexadecimal digits, ascending.
  bool operator==(const InputsRecord&) const = default;
};

struct CellRecord {
  Cell cell;
  std::uint64_t runs = 0;
  std::uint64_t vacuous_runs = 0;
  std::uint64_t faulty_runs = 0;
  std::uint64_t caught_runs = 0;  ///< Runs whose first fault is a hazard in the claim.
  std::uint64_t least_runs = 0;   ///< Runs that count for the claim, in the config with the fewest.
  std::uint64_t first_fault_run = 0;  ///< Counted from 1; 0 = none.
  bool cut_short = false;             ///< Time ran out before all findings were minimized.
  double seconds = 0;
  double minimize_seconds = 0;
  double tape_seconds = 0;            ///< Time for replaying tapes and searching around them.
  double all_seconds = 0;             ///< Time for all work on the cell; 0 if unknown.
  std::uint64_t waiting = 0;          ///< Findings whose repairs were not tried, for lack of time.
  std::uint64_t instructions = 0;     ///< User-mode instructions of the runs; 0 if unknown.
  std::vector<WindowRecord> windows;  ///< In the scenario's order.
  std::vector<FindingRecord> findings;
  TapesRecord tapes = {};
  InputsRecord inputs = {};
  std::string why_not = {};  ///< Why its build could not search it; "" = it was searched.
  bool operator==(const CellRecord&) const = default;
};

struct ShardRecord {
  std::string night;  ///< Id of the night: id_of() its plan.
  Terms terms;
  std::size_t index = 1;  ///< Counted from 1.
  std::vector<CellRecord> cells;
  std::int64_t ended_at = 0;     ///< In seconds since 1970, UTC; 0 if unknown.
  std::uint64_t peak_bytes = 0;  ///< Peak memory of its process; 0 if unknown.
  std::string machine = {};      ///< The kind of machine: see Circumstances; "" if unknown.
  bool operator==(const ShardRecord&) const = default;
};

/// A shard that was read from a file.
struct ShardFile {
  ShardRecord record;
  std::string content;  ///< Hash of its file.
  std::string result;   ///< Hash of the data that follows from the plan: equal for equal results.
};

/// Returns the text of a finished cell's file. The texts of reproducers are in separate files; this
/// one has their hashes.
std::string to_text(const CellRecord& cell);
/// Returns the text of a shard's file, with all its cells.
std::string to_text(const ShardRecord& shard);

/// Parses the result of to_text(), and reads the reproducers in `folder`. Errors:
/// std::runtime_error with one line.
CellRecord parse_cell(const std::string& text, const std::string& file, const std::string& folder);
/// Parses a shard and reads its reproducers likewise.
ShardFile parse_shard(const std::string& text, const std::string& file, const std::string& folder);

}  // namespace harness::nightly
