// SPDX-License-Identifier: Apache-2.0
// Schema: the tables of a history, and migrations from all older versions.
//
// Version n is the result of the first n migrations of an empty file; the file stores its version
// (user_version). A released migration is never changed: a new one is added.
//
// A night is a plan that was run. Its shards add cells (runs and seconds of a variant), windows and
// sightings. A finding has one row, with the shortest reproducer of all its sightings. Errors:
// std::runtime_error with one line.
#pragma once

#include <span>
#include <string_view>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// Returns the statements of each migration, in order.
std::span<const std::string_view> migrations();

/// Returns the version that this program reads and writes.
int schema_version();

/// Returns the version of the file; 0 for a new one.
int version_of(Database& database);

/// Migrates the file to version `to`. Refuses a file that is newer than this program, or not a
/// history.
void migrate(Database& database, int to = schema_version());

/// Returns the tables of the newest version. A table that others refer to precedes them.
std::span<const std::string_view> table_names();

}  // namespace harness::nightly
