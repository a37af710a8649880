// Portable: a finding without what is of one folder, user or machine, and what of two runs may
// differ when the program has moved, or lines in it.
#pragma once

#include <string>
#include <string_view>

#include "harness/client/finding.h"
#include "harness/process/process.h"

namespace harness::client {

/// Returns the finding with names of files below this folder, that of the script, or that of
/// installed modules.
Finding portable(Finding finding, const Command& command);

/// Returns the command with an interpreter by its name, and files below this folder from there.
Command portable(Command command);

/// Returns the text without the numbers of lines: "x.py:#".
std::string without_lines(std::string_view text);

/// Returns whether both are at the same instruction of a function, whichever its file's folder and
/// the line. Frames of older files have no instruction: then the line says so.
bool is_same_place(const Frame& left, const Frame& right);

}  // namespace harness::client
