// SPDX-License-Identifier: Apache-2.0
// ReplayMany: replays several reproducers and findings, with a line for each and a summary.
#pragma once

#include <string>
#include <vector>

#include "harness/client/command/replay_options.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::entries {

/// Returns how a run differs from the file, or "". A file without faults and trace is a program,
/// and cannot differ.
std::string difference(const Reproducer& recorded, const Reproducer& now, std::uint64_t trace);

/// Replaces folders by the reproducers and findings of `run` below them, in order. Errors:
/// std::runtime_error if a folder has none.
std::vector<std::string> reproducer_files(const std::vector<std::string>& names);

/// Returns whether these are more than one file, or a folder.
bool is_many(const std::vector<std::string>& files);

/// Replays them. Starts the command of a finding like `replay` of one file. Exit: kNotAsClaimed if
/// one differs from the record, else kStopped, else kWorld if one cannot be read or started.
int replay_many(const ReplayOptions& options);

}  // namespace harness::entries
