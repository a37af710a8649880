// SPDX-License-Identifier: Apache-2.0
// History: the result of all nights, in one file of a folder: history.sqlite.
//
// Only whole shards enter it, each once: in any order, and however often they are merged, the
// history exports the same. If a shard was run twice, and both reached the same but for the times,
// the times of one of them count, whichever came first.
//
// Threads: confined to one thread. Programs that write at one time wait for each other.
// Errors: std::runtime_error with one line; nothing is recorded by half.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/nightly/database.h"
#include "harness/nightly/night.h"
#include "harness/nightly/record.h"

namespace harness::nightly {

/// The outcome of merging shards.
struct Merged {
  std::size_t added = 0;
  std::size_t known = 0;            ///< They were in the history already.
  std::vector<std::string> errors;  ///< A line for each shard that could not be merged.
  std::set<std::string> nights;     ///< Names of the nights that the others are of.
};

/// A reproducer of a finding that no one needs to look at again and the last night did not see.
struct ClosedFinding {
  std::string cause;
  std::uint64_t last_number = 0;  ///< Number of the last night that saw it.
  std::uint64_t reproducer_bytes = 0;
};

class History {
 public:
  /// Opens the history of a folder; makes both where they are not there, and brings an older one up
  /// to date.
  explicit History(const std::string& folder);

  /// Adds the shards in these folders. One that cannot be added keeps none of the others out.
  Merged merge(const std::vector<std::string>& folders);

  /// Returns the number of the night that follows the last one.
  std::uint64_t next_number();
  /// Returns whether all shards of a night are there.
  bool has_all(const std::string& night, std::size_t shards);
  /// Returns the name of the last night among these, or of all where none is named; "" = none.
  std::string last_night(const std::set<std::string>& among = {});
  /// Returns the name of the last night with a smaller number; "" = none.
  std::string night_before(std::uint64_t number);
  /// Returns a night's terms and how many of its shards are there, without their results.
  Night outline(const std::string& id);
  /// Sums up a night, as far as its shards are there.
  Night night(const std::string& id);

  /// Gives a root cause to what has none yet (root.h): when all shards of a night are there.
  void sort_findings();
  /// Returns what those before know of repairs, for the plan of the next night.
  std::vector<KnownRepair> known_repairs();
  /// Returns the tapes that those before kept, likewise.
  std::vector<VariantTapes> tapes();
  /// Returns the corpora of libFuzzer targets that those before left, likewise.
  std::vector<VariantInputs> inputs();

  /// Returns the open findings of variants that this night searched and that it did not see.
  std::vector<AbsentFinding> absent(const Night& night);
  /// Notes, by cause, the result of replaying them; all of it or nothing.
  void note(const Night& night, const std::map<std::string, Absence>& absences);
  /// Notes the result of its findings in other builds, instead of what was noted before.
  void note_builds(const Night& night, const std::vector<BuildReplays>& builds);

  /// Says something of a finding, named by itself or by one of its causes: "open", "fixed" or
  /// "ignored", for this many nights (0 = for good). False when there is no such finding.
  bool mark(const std::string& name, const std::string& state, const std::string& reason,
            std::uint64_t nights);
  /// Returns the simplest reproducer of a finding or of one of its causes, "" where it was dropped,
  /// or nothing if there is no such finding.
  std::optional<std::string> reproducer(const std::string& name);

  /// Returns what is fixed, or ignored for good, and still has its reproducer: first what was seen
  /// longest ago.
  std::vector<ClosedFinding> closed_findings();
  /// Drops a finding's reproducer, until a shard brings one again.
  void drop_reproducer(const std::string& cause);

  /// Returns the file that it is in, for exports.
  Database& database() { return database_; }

 private:
  void require_fit(const ShardFile& file, const std::string& folder);
  bool add(const ShardFile& file);
  bool is_wanted(const ShardFile& file);
  void add_cell(const ShardRecord& shard, const CellRecord& cell);
  void add_finding(const ShardRecord& shard, const Cell& cell, const FindingRecord& finding);

  Database database_;
};

/// Returns the file of the history of a folder, which is made where it is not there.
std::string history_file(const std::string& folder);

}  // namespace harness::nightly
