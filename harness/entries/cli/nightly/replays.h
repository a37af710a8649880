// SPDX-License-Identifier: Apache-2.0
// Replays: what a fresh process says of all reproducers of a folder.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "harness/nightly/deadline.h"

namespace harness::entries {

struct ReplayedFile {
  /// From what the file says, or why there was no replay (kOutOfTime: the deadline); "" = none.
  std::string difference;
  bool is_replayed = false;
  std::vector<std::string> faults;  ///< The signatures that the run showed.
};

/// Replays each *.repro of a folder, all in one process; each in its own where one of them
/// ends the process. Returns them by the names of their files; if `stop` came first, not all. What
/// the deadline cuts off is out of time, whatever the process did until then.
/// `program` is the build that does it: this one.
std::map<std::string, ReplayedFile> replay_folder(const std::string& folder,
                                                  const nightly::Deadline& deadline,
                                                  const std::atomic<bool>& stop,
                                                  const std::string& program = "/proc/self/exe");

}  // namespace harness::entries
