// SPDX-License-Identifier: Apache-2.0
// Foreign rows: validates the content of a history, which another program may have written: an
// export to import, or the SQLite file.
//
// Ids must be hexadecimal, names plain, counts no larger than those of nights, and no reproducer
// may be a finding of `afterlife run`. Other texts may be anything, because views escape them.
// Errors: NotAName, or std::runtime_error, with one line.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// Refuses an invalid row.
void require_fit(const std::string& table, const Fields& row);

/// Refuses a file whose schema is not that of its version: objects with our names must be the
/// tables that we created, not triggers or views. A new file has no tables.
void require_own_tables(Database& database);

/// Refuses a file with an invalid row, or one that refers to a missing row.
void require_own_rows(Database& database);

}  // namespace harness::nightly
