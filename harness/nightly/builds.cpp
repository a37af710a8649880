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
  for (const char* statement :
       {"DELETE FROM build_replays WHERE night = ?", "DELETE FROM builds WHERE night = ?"})
    database.query(statement, {night});
  for (const BuildReplays& one : builds) {
    database.query("INSERT INTO builds VALUES (?, ?, ?)", {night, one.build, one.why_not});
    for (const auto& [cause, difference] : one.differences)
      database.query("INSERT INTO build_replays VALUES (?, ?, ?, ?)",
                     {night, one.build, cause, difference});
  }
  transaction.commit();
}

std::vector<BuildReplays> builds_of(Database& database, const std::string& night) {
  std::vector<BuildReplays> builds;
  for (const Row& row : database.query(
           "SELECT build, why_not FROM builds WHERE night = ? ORDER BY build", {night})) {
    BuildReplays& one = builds.emplace_back();
    one.build = text(row[0]);
    one.why_not = text(row[1]);
    for (const Row& replay :
         database.query("SELECT cause, difference FROM build_replays WHERE night = ? AND build = ?",
                        {night, one.build}))
      one.differences[text(replay[0])] = text(replay[1]);
  }
  return builds;
}

}  // namespace harness::nightly
