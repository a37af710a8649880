// SPDX-License-Identifier: Apache-2.0
// History: the results of all nights, in one file of a folder: history.sqlite.
//
// Only complete shards are added, each once: the exported history does not depend on the order of
// merges, nor on repeated ones. If a shard was run twice with the same result except for times, the
// times of one of them count, regardless of their order.
//
// Threads: confined to one thread. Programs that write at the same time wait for each other.
// Errors: std::runtime_error with one line; nothing is recorded partially.
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

/// The result of merging shards.
struct Merged {
  std::size_t added = 0;
  std::size_t known = 0;            ///< Shards that were already in the history.
  std::vector<std::string> errors;  ///< A line for each shard that could not be merged.
  std::set<std::string> nights;     ///< Ids of the nights of the merged shards.
};

/// A reproducer of a closed finding that the last night did not see.
struct ClosedFinding {
  std::string cause;
  std::uint64_t last_number = 0;  ///< Number of the last night that saw it.
  std::uint64_t reproducer_bytes = 0;
};

class History {
 public:
  /// Opens the history of a folder. Creates both if necessary, and migrates an older file.
  explicit History(const std::string& folder);

  /// Adds the shards in these folders. A shard with an error does not affect the others.
  Merged merge(const std::vector<std::string>& folders);

  /// Returns the number of the night that follows the last one.
  std::uint64_t next_number();
  /// Returns whether the history has all shards of a night.
  bool has_all(const std::string& night, std::size_t shards);
  /// Returns the id of the last of these nights, or of all nights if `among` is empty; "" = none.
  std::string last_night(const std::set<std::string>& among = {});
  /// Returns the id of the last night with a smaller number; "" = none.
  std::string night_before(std::uint64_t number);
  /// Returns a night's terms and the number of its shards here, without results.
  Night outline(const std::string& id);
  /// Returns the sums of a night, as far as its shards are here.
  Night night(const std::string& id);

  /// Determines the roots (root.h) of findings that have none. Call it when a night is complete.
  void sort_findings();
  /// Returns the known repairs of all findings, for the plan of the next night.
  std::vector<KnownRepair> known_repairs();
  /// Returns the tapes that nights have kept, likewise.
  std::vector<VariantTapes> tapes();
  /// Returns the corpora of libFuzzer targets, likewise.
  std::vector<VariantInputs> inputs();

  /// Returns the open findings of searched variants that this night did not see.
  std::vector<AbsentFinding> absent(const Night& night);
  /// Records the results of their replays by cause; all or nothing.
  void note(const Night& night, const std::map<std::string, Absence>& absences);
  /// Records the results of its findings in other builds, replacing earlier records.
  void note_builds(const Night& night, const std::vector<BuildReplays>& builds);

  /// Marks a finding, named by itself or by one of its causes, as "open", "fixed" or "ignored", for
  /// this many nights (0 = permanently). Returns false if there is no such finding.
  bool mark(const std::string& name, const std::string& state, const std::string& reason,
            std::uint64_t nights);
  /// Returns the simplest reproducer of a finding, named by itself or by a cause: "" if it was
  /// dropped, nothing if there is no such finding.
  std::optional<std::string> reproducer(const std::string& name);

  /// Returns findings that are fixed or permanently ignored, and still have a reproducer, those not
  /// seen for the longest time first.
  std::vector<ClosedFinding> closed_findings();
  /// Removes a finding's reproducer. The next shard that has one restores it.
  void drop_reproducer(const std::string& cause);

  /// Returns the database, for exports.
  Database& database() { return database_; }

 private:
  Database database_;
};

/// Returns the history file of a folder, which is created if necessary.
std::string history_file(const std::string& folder);

}  // namespace harness::nightly
