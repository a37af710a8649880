// SPDX-License-Identifier: Apache-2.0
// Tool: a program of this machine that does a part of our work, such as a compiler, within limits.
#pragma once

#include <string>

#include "harness/base/process/process.h"

namespace harness {

/// The file of the stand-ins. Next to it are links or copies with the names of the tools.
inline constexpr const char* kStandInFile = "afterlife_stand_in";

/// Returns the path of a program, searched in PATH unless its name is a path; "" if not found.
/// Skips our stand-ins.
std::string find_tool(const std::string& name);

/// Returns whether the program at the path is one of our stand-ins for a tool of the toolkit under
/// `afterlife run` (harness/client/inside/stand_ins).
bool is_stand_in(const std::string& path);

/// Returns a text that differs if the program at the path changes.
std::string tool_identity(const std::string& path);

/// Runs a tool in a folder: with 4 GiB of address space, without core files, in English, and
/// without preloaded libraries. Errors: as run_process().
ProcessEnd run_tool(const Command& command, ProcessOptions options,
                    const std::string& folder = ".");

}  // namespace harness
