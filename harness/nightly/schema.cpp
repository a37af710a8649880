// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "harness/base/printable.h"

namespace harness::nightly {
namespace {

// 1: which cells were searched, and which windows their runs reached.
constexpr std::string_view kRuns = R"(
CREATE TABLE revisions (
  name TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE nights (
  id TEXT NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL,
  seed TEXT NOT NULL,
  planned_runs INTEGER NOT NULL,
  planned_seconds REAL NOT NULL,
  shards INTEGER NOT NULL,
  target TEXT NOT NULL,
  revision TEXT NOT NULL REFERENCES revisions
) STRICT, WITHOUT ROWID;

CREATE TABLE shards (
  night TEXT NOT NULL REFERENCES nights,
  shard INTEGER NOT NULL,
  result TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (night, shard)
) STRICT, WITHOUT ROWID;

CREATE TABLE cells (
  night TEXT NOT NULL,
  shard INTEGER NOT NULL,
  path TEXT NOT NULL,
  variant TEXT NOT NULL,
  claim TEXT NOT NULL,
  seed TEXT NOT NULL,
  planned_runs INTEGER NOT NULL,
  planned_seconds REAL NOT NULL,
  runs INTEGER NOT NULL,
  vacuous_runs INTEGER NOT NULL,
  faulty_runs INTEGER NOT NULL,
  caught_runs INTEGER NOT NULL,
  least_runs INTEGER NOT NULL,
  first_fault_run INTEGER NOT NULL,
  cut_short INTEGER NOT NULL,
  seconds REAL NOT NULL,
  minimize_seconds REAL NOT NULL,
  PRIMARY KEY (night, shard, path, variant),
  FOREIGN KEY (night, shard) REFERENCES shards
) STRICT, WITHOUT ROWID;

CREATE TABLE windows (
  night TEXT NOT NULL,
  shard INTEGER NOT NULL,
  path TEXT NOT NULL,
  variant TEXT NOT NULL,
  window TEXT NOT NULL,
  reached INTEGER NOT NULL,
  caught INTEGER NOT NULL,
  PRIMARY KEY (night, shard, path, variant, window),
  FOREIGN KEY (night, shard, path, variant) REFERENCES cells
) STRICT, WITHOUT ROWID;
)";

// 2: the findings, and the shards that found them.
constexpr std::string_view kFindings = R"(
CREATE TABLE findings (
  cause TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  variant TEXT NOT NULL,
  hazard TEXT NOT NULL,
  signature TEXT NOT NULL,
  file TEXT NOT NULL,
  reproducer TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sightings (
  night TEXT NOT NULL,
  shard INTEGER NOT NULL,
  cause TEXT NOT NULL REFERENCES findings,
  runs INTEGER NOT NULL,
  first_run INTEGER NOT NULL,
  minimized INTEGER NOT NULL,
  difference TEXT NOT NULL,
  PRIMARY KEY (night, shard, cause),
  FOREIGN KEY (night, shard) REFERENCES shards
) STRICT, WITHOUT ROWID;

CREATE INDEX sightings_by_cause ON sightings (cause);
)";

// 3: marks by users: for a finding, after which night, and until which.
constexpr std::string_view kMarks = R"(
CREATE TABLE marks (
  cause TEXT NOT NULL REFERENCES findings,
  number INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'fixed', 'ignored')),
  reason TEXT NOT NULL,
  last_number INTEGER NOT NULL,
  PRIMARY KEY (cause, number)
) STRICT, WITHOUT ROWID;
)";

// 4: the end of a shard, in seconds since 1970; 0 if unknown.
constexpr std::string_view kTimes = R"(
ALTER TABLE shards ADD COLUMN ended_at INTEGER NOT NULL DEFAULT 0;
)";

// 5: the results of replaying findings that a night did not see.
constexpr std::string_view kReplays = R"(
CREATE TABLE replays (
  night TEXT NOT NULL REFERENCES nights,
  cause TEXT NOT NULL REFERENCES findings,
  outcome TEXT NOT NULL CHECK (outcome IN ('shown', 'gone', 'unclear')),
  PRIMARY KEY (night, cause)
) STRICT, WITHOUT ROWID;
)";

// 6: the resources of a shard, and its machine; 0 and "" if unknown.
constexpr std::string_view kTrends = R"(
ALTER TABLE cells ADD COLUMN instructions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE shards ADD COLUMN peak_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE shards ADD COLUMN machine TEXT NOT NULL DEFAULT '';
)";

// 7: the root cause of each finding: the repairs that work for its shortest reproducer ('': not
// tried), and the selected one ('': none works).
constexpr std::string_view kRoots = R"(
ALTER TABLE findings ADD COLUMN repairs TEXT NOT NULL DEFAULT '';

CREATE TABLE roots (
  cause TEXT NOT NULL PRIMARY KEY REFERENCES findings,
  root TEXT NOT NULL,
  words TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX roots_by_root ON roots (root);
)";

// 8: results of a night's findings in other builds; '' if the result is the same, and if the build
// existed.
constexpr std::string_view kBuilds = R"(
CREATE TABLE builds (
  night TEXT NOT NULL REFERENCES nights,
  build TEXT NOT NULL,
  why_not TEXT NOT NULL,
  PRIMARY KEY (night, build)
) STRICT, WITHOUT ROWID;

CREATE TABLE build_replays (
  night TEXT NOT NULL,
  build TEXT NOT NULL,
  cause TEXT NOT NULL REFERENCES findings,
  difference TEXT NOT NULL,
  PRIMARY KEY (night, build, cause),
  FOREIGN KEY (night, build) REFERENCES builds
) STRICT, WITHOUT ROWID;
)";

// 9: the tapes that nights keep, with the last night in which each reached its feature; results of
// the tapes of a cell; cells that other builds search; and runs outside of a cell's own search that
// showed a finding.
constexpr std::string_view kTapes = R"(
CREATE TABLE tapes (
  path TEXT NOT NULL,
  variant TEXT NOT NULL,
  feature TEXT NOT NULL,
  number INTEGER NOT NULL,
  config TEXT NOT NULL,
  tape TEXT NOT NULL,
  PRIMARY KEY (path, variant, feature)
) STRICT, WITHOUT ROWID;

CREATE TABLE build_cells (
  night TEXT NOT NULL,
  shard INTEGER NOT NULL,
  path TEXT NOT NULL,
  variant TEXT NOT NULL,
  build TEXT NOT NULL,
  seed TEXT NOT NULL,
  planned_runs INTEGER NOT NULL,
  planned_seconds REAL NOT NULL,
  runs INTEGER NOT NULL,
  seconds REAL NOT NULL,
  why_not TEXT NOT NULL,
  inputs_given INTEGER NOT NULL,
  inputs_survived INTEGER NOT NULL,
  PRIMARY KEY (night, shard, path, variant, build),
  FOREIGN KEY (night, shard) REFERENCES shards
) STRICT, WITHOUT ROWID;

CREATE TABLE inputs (
  path TEXT NOT NULL,
  variant TEXT NOT NULL,
  number INTEGER NOT NULL,
  inputs TEXT NOT NULL,
  PRIMARY KEY (path, variant)
) STRICT, WITHOUT ROWID;

ALTER TABLE cells ADD COLUMN tapes_given INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN tapes_replayed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN tapes_survived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN tape_runs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sightings ADD COLUMN other_runs INTEGER NOT NULL DEFAULT 0;
)";

// 10: functions that behave differently in new findings of a night; line 0 and '' if none is named;
// one line for each function whose result may be the reason.
constexpr std::string_view kChanges = R"(
CREATE TABLE changes (
  night TEXT NOT NULL REFERENCES nights,
  cause TEXT NOT NULL REFERENCES findings,
  outcome TEXT NOT NULL CHECK (outcome IN ('named', 'was before', 'unclear')),
  function TEXT NOT NULL,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  upon TEXT NOT NULL,
  PRIMARY KEY (night, cause)
) STRICT, WITHOUT ROWID;
)";

// 11: the time for a cell's tapes and for all its work (0: unknown), the findings whose repairs
// were not tried due to lack of time, and replays for which there was no time.
constexpr std::string_view kDeadlines = R"(
ALTER TABLE cells ADD COLUMN tape_seconds REAL NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN all_seconds REAL NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;

ALTER TABLE replays RENAME TO old_replays;
CREATE TABLE replays (
  night TEXT NOT NULL REFERENCES nights,
  cause TEXT NOT NULL REFERENCES findings,
  outcome TEXT NOT NULL CHECK (outcome IN ('shown', 'gone', 'unclear', 'out of time')),
  PRIMARY KEY (night, cause)
) STRICT, WITHOUT ROWID;
INSERT INTO replays SELECT night, cause, outcome FROM old_replays;
DROP TABLE old_replays;
)";

// 12: nights are no longer compared by function; three kinds of fault have other names.
constexpr std::string_view kKinds = R"(
DROP TABLE changes;
UPDATE findings SET signature = 'data_race' || substr(signature, 6) WHERE signature LIKE 'order %';
UPDATE findings SET signature = 'leak' || substr(signature, 10)
  WHERE signature LIKE 'retention %';
UPDATE findings SET signature = 'use_after_free' || substr(signature, 16)
  WHERE signature LIKE 'use_after_death %';
UPDATE findings SET hazard = 'use_after_free' WHERE hazard = 'use_after_death';
UPDATE findings SET hazard = 'leak' WHERE hazard = 'retention';
UPDATE findings SET hazard = 'data_race' WHERE hazard = 'order';
)";

constexpr std::array kMigrations{kRuns,  kFindings, kMarks, kTimes,   kReplays,   kTrends,
                                 kRoots, kBuilds,   kTapes, kChanges, kDeadlines, kKinds};
// Those of older exports, too.
constexpr std::array<std::string_view, 16> kTables{
    "revisions", "nights",      "shards", "cells",   "windows", "findings",
    "roots",     "sightings",   "marks",  "replays", "builds",  "build_replays",
    "tapes",     "build_cells", "inputs", "changes"};

// One query for both, because another program may be creating the tables.
void refuse_what_is_not_ours(Database& database) {
  const Row look = database.query(
      "SELECT user_version, (SELECT count(*) FROM sqlite_master) AS tables FROM "
      "pragma_user_version")[0];
  const std::int64_t version = look.number("user_version");
  if (version > schema_version())
    throw std::runtime_error(
        fmt::format("{}: was written by a newer afterlife (version {} of its tables, and this one "
                    "knows {}); use the newer one",
                    printable(database.file()), version, schema_version()));
  if (version < 0 || (version == 0 && look.number("tables") > 0))
    throw std::runtime_error(fmt::format("{}: is a database of something else, and no history",
                                         printable(database.file())));
}

}  // namespace

std::span<const std::string_view> migrations() { return kMigrations; }

int schema_version() { return static_cast<int>(kMigrations.size()); }

int version_of(Database& database) {
  return static_cast<int>(database.query("PRAGMA user_version")[0].number("user_version"));
}

void migrate(Database& database, int to) {
  refuse_what_is_not_ours(database);
  if (version_of(database) >= to) return;
  Transaction transaction(database);
  // Another program may have migrated it in the meantime.
  for (int version = version_of(database); version < to; ++version)
    database.run(std::string(kMigrations[static_cast<std::size_t>(version)]));
  database.run(fmt::format("PRAGMA user_version = {}", std::max(to, version_of(database))));
  transaction.commit();
}

std::span<const std::string_view> table_names() { return kTables; }

}  // namespace harness::nightly
