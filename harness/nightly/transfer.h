// SPDX-License-Identifier: Apache-2.0
// Transfer: a history as lines of JSON, for people, for backups and for another machine.
//
// The first line is {"afterlife_history": VERSION}; each other one is a row. Tables and rows are in
// a fixed order, so that equal histories have equal bytes. What an older version exported can be
// imported.
// Errors: std::runtime_error with one line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// Hands each line, ended, to `write`; those of a file that was not migrated are of its version.
void export_history(Database& database, const std::function<void(const std::string&)>& write);

/// Makes the history in `folder` what `file` says, all or nothing. Errors: a folder that has a
/// history is refused, and so is a row that does not fit (foreign_rows.h).
void import_history(const std::string& file, const std::string& folder);

}  // namespace harness::nightly
