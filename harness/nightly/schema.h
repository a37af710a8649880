// SPDX-License-Identifier: Apache-2.0
// Schema: the tables of a history, and the way there from every older version.
//
// Version n is what the first n migrations make of an empty file; the file says its version itself
// (user_version). A migration that was released is never changed: a new one follows it.
//
// A night is a plan that was run; a shard of it adds cells (runs and seconds of a variant), windows
// and sightings. A finding is there once, with the shortest reproducer of all its sightings.
// Errors: std::runtime_error with one line.
#pragma once

#include <span>
#include <string_view>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// Returns the statements of each migration, in order.
std::span<const std::string_view> migrations();

/// Returns the version that this program reads and writes.
int schema_version();

/// Returns the version of the file; 0 of one that is new.
int version_of(Database& database);

/// Brings the file to version `to`. Refuses a file that is newer than this program, and one that is
/// not a history.
void migrate(Database& database, int to = schema_version());

/// Returns the tables of the newest version, those that others refer to first.
std::span<const std::string_view> table_names();

}  // namespace harness::nightly
