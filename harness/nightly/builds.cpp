// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/builds.h"

#include <algorithm>

namespace harness::nightly {

std::size_t BuildReplays::same_count() const {
  return static_cast<std::size_t>(std::count_if(
      differences.begin(), differences.end(), [](const auto& one) { return one.second.empty(); }));
}

void note_builds(Database& database, const std::string& night,
                 const std::vector<BuildReplays>& builds) {
  Transaction transaction(database);
  for (const char* statement : {"DELETE FROM build_replays WHERE night = :night",
                                "DELETE FROM builds WHERE night = :night"})
    database.query(statement, {{"night", night}});
  for (const BuildReplays& one : builds) {
    database.insert("builds", {{"night", night}, {"build", one.build}, {"why_not", one.why_not}});
    for (const auto& [cause, difference] : one.differences)
      database.insert(
          "build_replays",
          {{"night", night}, {"build", one.build}, {"cause", cause}, {"difference", difference}});
  }
  transaction.commit();
}

std::vector<BuildReplays> builds_of(Database& database, const std::string& night) {
  std::vector<BuildReplays> builds;
  for (const Row& row :
       database.query("SELECT build, why_not FROM builds WHERE night = :night ORDER BY build",
                      {{"night", night}})) {
    BuildReplays& one = builds.emplace_back();
    one.build = row.text("build");
    one.why_not = row.text("why_not");
    for (const Row& replay :
         database.query("SELECT cause, difference FROM build_replays WHERE night = :night AND "
                        "build = :build",
                        {{"night", night}, {"build", one.build}}))
      one.differences[replay.text("cause")] = replay.text("difference");
  }
  return builds;
}

}  // namespace harness::nightly
