// SPDX-License-Identifier: Apache-2.0
// Tool: a program of this machine that does a part of our work, such as a compiler, within limits.
#pragma once

#include <string>

#include "harness/process/process.h"

namespace harness {

/// The file of the stand-ins. Beside it are links to it by the names of the tools, or copies of it.
inline constexpr const char* kStandInFile = "afterlife_stand_in";

/// Returns the path of a program, which is looked for in PATH unless its name is a path; else "". A
/// stand-in of ours is passed over.
std::string find_tool(const std::string& name);

/// Returns whether the program at the path is one of ours that takes the place of a tool of the
/// toolkit under `afterlife run` (harness/entries/stand_ins).
bool is_stand_in(const std::string& path);

/// Returns words that differ where another program is at the path.
std::string tool_identity(const std::string& path);

/// Runs a tool in a folder: within 4 GiB of address space, without cores, in English, and without
/// what is loaded in front of other programs. Errors: as run_process().
ProcessEnd run_tool(const Command& command, ProcessOptions options,
                    const std::string& folder = ".");

}  // namespace harness
