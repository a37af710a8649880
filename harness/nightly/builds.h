// SPDX-License-Identifier: Apache-2.0
// Builds: the result of a night's findings in other builds of the program (release, asan, tsan),
// each replayed there once. A sanitizer may see more in one than the harness does, and a finding
// that is another one there is no property of the target alone.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// One of the builds.
struct BuildReplays {
  std::string build;
  std::string why_not;  ///< Nothing was replayed in it; "" = it was.
  /// By the cause (cause.h), how the run differs from what the reproducer says; "" = not at all.
  std::map<std::string, std::string> differences;
  bool operator==(const BuildReplays&) const = default;

  /// Returns how many findings came out as recorded.
  std::size_t same_count() const;
};

/// Notes what the replays of a night came to, instead of what was noted before.
void note_builds(Database& database, const std::string& night,
                 const std::vector<BuildReplays>& builds);

/// Returns what was noted of a night, by name of the build.
std::vector<BuildReplays> builds_of(Database& database, const std::string& night);

}  // namespace harness::nightly
