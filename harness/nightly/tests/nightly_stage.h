// SPDX-License-Identifier: Apache-2.0
// Shards made by hand: their records, and their folders.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/tests/child.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/record.h"
#include "harness/nightly/shard/shard.h"
#include "harness/nightly/transfer.h"

namespace harness::testing {

/// A night of `shards` shards, of two variants: one sound and one canary.
inline nightly::Plan hand_made_plan(std::size_t shards, std::uint64_t number = 1) {
  return {{number, 7, {1000, 0}, shards, "toy", "abc"},
          {{"toy", "retain", "sound", 1, {800, 0}}, {"toy", "borrow", "unsound", 2, {200, 0}}}};
}

inline nightly::FindingRecord hand_made_finding(const nightly::Cell& cell,
                                                const std::string& signature,
                                                const std::string& reproducer) {
  nightly::FindingRecord finding;
  finding.kind = nightly::kFault;
  finding.hazard = "stale";
  finding.signature = signature;
  finding.cause = nightly::cause_of(cell, {finding.kind, finding.hazard, signature});
  finding.runs = 3;
  finding.first_run = 2;
  finding.minimized = true;
  finding.file = "cell/" + cell.variant + "-" + signature + ".repro";
  std::replace(finding.file.begin(), finding.file.end(), ' ', '_');
  finding.reproducer = reproducer;
  return finding;
}

/// A shard in which the canary shows `signatures`, and the sound variant nothing.
inline nightly::ShardRecord hand_made_shard(const nightly::Plan& plan, std::size_t index,
                                            const std::vector<std::string>& signatures,
                                            double seconds = 1) {
  nightly::ShardRecord shard{nightly::id_of(plan), plan.terms, index, {}};
  shard.ended_at = 1'700'000'000 + static_cast<std::int64_t>(seconds);
  for (const nightly::Cell& cell : nightly::cells_of(plan, index)) {
    nightly::CellRecord& record = shard.cells.emplace_back();
    record.cell = cell;
    record.runs = record.least_runs = cell.budget.runs;
    record.seconds = seconds;
    record.windows = {{"content", 5, 0}, {"stale", 9, 0}};
    if (cell.claim != "unsound") continue;
    record.faulty_runs = record.caught_runs = 3 * signatures.size();
    for (const std::string& signature : signatures)
      record.findings.push_back(hand_made_finding(
          cell, signature, "reproducer of shard " + std::string(index, 'i') + "\n"));
  }
  return shard;
}

/// Writes the finished shard into a folder below `folder`. Returns its name.
inline std::string leave_shard(const std::string& folder, const nightly::ShardRecord& shard) {
  namespace fs = std::filesystem;
  const fs::path place = fs::path(folder) / nightly::shard_name(shard.index, shard.terms.shards);
  fs::create_directories(place / "cell");
  for (const nightly::CellRecord& cell : shard.cells)
    for (const nightly::FindingRecord& finding : cell.findings)
      write_file(place / finding.file, finding.reproducer);
  write_file(place / "shard.json", nightly::to_text(shard));
  return place.string();
}

/// Imports this text, from a file with the name "file".
inline void import_text(const std::string& text, const std::string& history) {
  const Folder folder;
  write_file(folder / "file", text);
  nightly::import_history(folder / "file", history);
}

}  // namespace harness::testing
