// SPDX-License-Identifier: Apache-2.0
// Record: what a shard of a night came to, as plain data and as text.
//
// All but the times, and what was taken, is a function of the plan, where the plan's budget is in
// runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/plan.h"

namespace harness::nightly {

struct WindowRecord {
  std::string window;
  std::uint64_t reached = 0;  ///< Runs.
  std::uint64_t caught = 0;   ///< Runs with a fault in it.
  bool operator==(const WindowRecord&) const = default;
};

struct FindingRecord {
  std::string cause;  ///< Its name: see cause.h.
  std::string kind;   ///< See cause.h.
  std::string hazard;
  std::string signature;
  std::uint64_t runs = 0;       ///< Runs that showed it.
  std::uint64_t first_run = 0;  ///< Counted from 1.
  bool minimized = false;
  std::string file;        ///< Name of the reproducer, from the shard's folder.
  std::string reproducer;  ///< Its text.
  std::string difference;  ///< From what the file says, when it was replayed; "" = none.
  /// Those that work for it, as root.h has them as text: the one alone that the plan knows, where
  /// that does; "" = not tried.
  std::string repairs = {};
  /// Runs that showed it in what the cell did besides its own search: those around tapes.
  std::uint64_t other_runs = 0;
  bool operator==(const FindingRecord&) const = default;
};

/// The outcome of the tapes that a cell was given, and those that it leaves.
struct TapesRecord {
  std::uint64_t given = 0;
  std::uint64_t replayed = 0;
  std::uint64_t survived = 0;  ///< They get to all that they were kept for.
  std::uint64_t runs = 0;      ///< Replays, and runs that were searched around the tapes.
  std::vector<KeptTape> kept;  ///< By features.
  bool operator==(const TapesRecord&) const = default;
};

/// The corpus of a libFuzzer target: what it was given, and what it leaves.
struct InputsRecord {
  std::uint64_t given = 0;
  std::uint64_t survived = 0;     ///< They get somewhere that no smaller one gets to.
  std::vector<std::string> kept;  ///< Bytes as hexadecimal digits, ascending.
  bool operator==(const InputsRecord&) const = default;
};

struct CellRecord {
  Cell cell;
  std::uint64_t runs = 0;
  std::uint64_t vacuous_runs = 0;
  std::uint64_t faulty_runs = 0;
  std::uint64_t caught_runs = 0;  ///< Runs that failed first through a hazard that the claim names.
  std::uint64_t least_runs = 0;   ///< Runs that count for the claim, of the poorest config.
  std::uint64_t first_fault_run = 0;  ///< Counted from 1; 0 = none.
  bool cut_short = false;             ///< Time ran out before all findings were minimized.
  double seconds = 0;
  double minimize_seconds = 0;
  double tape_seconds = 0;            ///< Time of replaying tapes and of searching around them.
  double all_seconds = 0;             ///< Time of all that was done for it; 0 = not known.
  std::uint64_t waiting = 0;          ///< Findings whose repairs were not tried, for want of time.
  std::uint64_t instructions = 0;     ///< Those of the runs, in user mode; 0 = not known.
  std::vector<WindowRecord> windows;  ///< In the scenario's order.
  std::vector<FindingRecord> findings;
  TapesRecord tapes = {};
  InputsRecord inputs = {};
  std::string why_not = {};  ///< It was not searched, as its build could not; "" = it was.
  bool operator==(const CellRecord&) const = default;
};

struct ShardRecord {
  std::string night;  ///< Name of the night: id_of() its plan.
  Terms terms;
  std::size_t index = 1;  ///< Counted from 1.
  std::vector<CellRecord> cells;
  std::int64_t ended_at = 0;     ///< In seconds since 1970, UTC; 0 if it is not known.
  std::uint64_t peak_bytes = 0;  ///< The most memory that its process had; 0 = not known.
  std::string machine = {};      ///< Class of the machine: see Services; "" = not known.
  bool operator==(const ShardRecord&) const = default;
};

/// A shard as it was read.
struct ShardFile {
  ShardRecord record;
  std::string content;  ///< Hash of its file.
  std::string result;   ///< Hash of all that follows from the plan: equal results have equal ones.
};

/// Returns the text of a finished cell's file. The texts of reproducers stand in their own files;
/// their hashes stand here.
std::string to_text(const CellRecord& cell);
/// Returns the text of a shard's file, with all of its cells.
std::string to_text(const ShardRecord& shard);

/// Reads what to_text() wrote, and the reproducers, which are looked for in `folder`.
/// Errors: std::runtime_error with one line.
CellRecord parse_cell(const std::string& text, const std::string& file, const std::string& folder);
/// Reads a shard and its reproducers likewise.
ShardFile parse_shard(const std::string& text, const std::string& file, const std::string& folder);

}  // namespace harness::nightly
