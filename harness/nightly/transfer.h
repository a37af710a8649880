// SPDX-License-Identifier: Apache-2.0
// Transfer: a history as lines of JSON, for users, for backups and for another machine.
//
// The first line is {"afterlife_history": VERSION}; each other line is a row. Tables and rows have
// a fixed order, so that equal histories give equal bytes. Exports of older versions can be
// imported. Errors: std::runtime_error with one line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// Passes each line, with its newline, to `write`. A file that was not migrated is exported in its
/// version.
void export_history(Database& database, const std::function<void(const std::string&)>& write);

/// Creates the history in `folder` from `file`, completely or not at all. Errors: the folder
/// already has a history, or a row is invalid (foreign_rows.h).
void import_history(const std::string& file, const std::string& folder);

}  // namespace harness::nightly
