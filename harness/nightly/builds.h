// SPDX-License-Identifier: Apache-2.0
// Builds: results of a night's findings in other builds of the program (release, asan, tsan), each
// replayed there once. A sanitizer may detect more than the harness, and a finding that differs in
// another build depends on more than the target.
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
  std::string why_not;  ///< Why nothing was replayed in it; "" = it was.
  /// How the run differs from the reproducer, by cause (cause.h); "" = it does not.
  std::map<std::string, std::string> differences;
  bool operator==(const BuildReplays&) const = default;

  /// Returns the number of findings with the same result.
  std::size_t same_count() const;
};

/// Records the replays of a night, replacing earlier records.
void note_builds(Database& database, const std::string& night,
                 const std::vector<BuildReplays>& builds);

/// Returns the replays of a night, ordered by build.
std::vector<BuildReplays> builds_of(Database& database, const std::string& night);

}  // namespace harness::nightly
