// SPDX-License-Identifier: Apache-2.0
// Replays: the replays of all reproducers in a folder, made by a new process.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "harness/nightly/deadline.h"

namespace harness::entries {

struct ReplayedFile {
  /// How it differs from the file, or why it was not replayed (kOutOfTime: the deadline); "" = it
  /// is the same.
  std::string difference;
  bool is_replayed = false;
  std::vector<std::string> faults;  ///< The signatures that the run showed.
};

/// Replays each *.repro of a folder in one process, or each in a separate one if that process
/// fails. Returns the results by file name; not all if stopped. Files that the deadline prevents
/// are *out of time*. `program`: the build that replays them; by default this one.
std::map<std::string, ReplayedFile> replay_folder(const std::string& folder,
                                                  const nightly::Deadline& deadline,
                                                  const std::atomic<bool>& stop,
                                                  const std::string& program = "/proc/self/exe");

}  // namespace harness::entries
