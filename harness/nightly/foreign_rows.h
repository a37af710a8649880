// SPDX-License-Identifier: Apache-2.0
// Foreign rows: what a history holds must be what its columns are for, as something else may have
// made it: an export that is imported, or the file of SQLite.
//
// Ids are hexadecimal, names are plain, counts are no larger than nights have, and no reproducer is
// a finding of `afterlife run`. Every other text is words, which views escape.
// Errors: NotAName, or std::runtime_error, with one line.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// Refuses a row, whose values are those of these columns.
void require_fit(const std::string& table, const std::vector<std::string>& columns, const Row& row);

/// Refuses a file whose tables are not those of its version: what a table of our name does (a
/// trigger, a view) must be what we made it for. A new file has none.
void require_own_tables(Database& database);

/// Refuses a file with a row that does not fit, or that refers to one that is not there.
void require_own_rows(Database& database);

}  // namespace harness::nightly
