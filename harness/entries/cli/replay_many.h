// ReplayMany: many reproducers and findings, a line for each, and how many were as recorded.
#pragma once

#include <string>
#include <vector>

#include "harness/entries/cli/commands.h"
#include "harness/reproducer.h"

namespace harness::entries {

/// How a run differs from what the file says, or empty. A file without faults and trace is a
/// program: it says nothing.
std::string difference(const Reproducer& recorded, const Reproducer& now, std::uint64_t trace);

/// The names as they are, but folders as the reproducers and findings of `run` below them, in
/// order. Errors: std::runtime_error where a folder has none.
std::vector<std::string> reproducer_files(const std::vector<std::string>& names);

/// More than one file, or a folder.
bool is_many(const std::vector<std::string>& files);

/// Starts the command of a finding as `replay` of one does. Exit: kNotAsClaimed where one is not as
/// recorded, else kStopped, else kWorld where one cannot be read, or its command not started.
int replay_many(const ReplayOptions& options);

}  // namespace harness::entries
