// SPDX-License-Identifier: Apache-2.0
// Portable: a finding without folder, user or machine, so that it can be compared after the program
// or its lines have moved.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/process/process.h"
#include "harness/client/outside/finding.h"

namespace harness::client {

/// Returns the finding with file names relative to this folder, to that of the script, or to that
/// of installed modules.
Finding portable(Finding finding, const Command& command);

/// Returns the command with files relative to this folder, and with a Python that is not below it
/// by name.
Command portable(Command command);

/// Returns a portable command as it can be started in this folder: a Python that is missing here,
/// such as one of a virtual environment, by name; a program without a path, as older files have it,
/// by its path if it is only here.
Command startable(Command command);

/// Returns the text without line numbers: "x.py:#".
std::string without_lines(std::string_view text);

/// Returns whether both are at the same instruction of a function, regardless of folder and line.
/// Frames of older files have no instruction; then lines are compared.
bool is_same_place(const Frame& left, const Frame& right);

}  // namespace harness::client
