// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/past.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/nightly/night.h"
#include "harness/nightly/sightings.h"

namespace harness::nightly {
namespace {

/// Returns `count` of each row of a query, by `number`, the night's.
std::map<std::uint64_t, std::uint64_t> counts(Database& database, const std::string& statement) {
  std::map<std::uint64_t, std::uint64_t> by_night;
  for (const Row& row : database.query(statement))
    by_night[row.count("number")] = row.count("count");
  return by_night;
}

}  // namespace

std::vector<PastNight> past_nights(Database& database, std::uint64_t number) {
  auto news =
      counts(database, fmt::format("SELECT number, count(*) AS count FROM (SELECT min(number) AS "
                                   "number FROM {} GROUP BY root, owner) GROUP BY number",
                                   kSightings));
  auto missed = counts(
      database,
      fmt::format(
          "SELECT number, count(*) AS count FROM (SELECT number FROM cells JOIN nights ON id = "
          "night WHERE claim = 'unsound' GROUP BY number, path, variant HAVING "
          "sum(caught_runs) = 0 AND sum(runs) >= {}) GROUP BY number",
          kRunsToCatch));
  auto ended =
      counts(database,
             "SELECT number, max(ended_at) AS count FROM shards JOIN nights ON id = night GROUP BY "
             "number");
  std::vector<PastNight> nights;
  for (const Row& row : database.query("SELECT number, sum(runs) AS runs, sum(cells.seconds) AS "
                                       "seconds FROM nights JOIN cells ON night = id "
                                       "WHERE number <= :number GROUP BY number ORDER BY number",
                                       {{"number", whole(number)}})) {
    const std::uint64_t night = row.count("number");
    nights.push_back({night, row.count("runs"), row.real("seconds"), news[night], missed[night],
                      static_cast<std::int64_t>(ended[night])});
  }
  return nights;
}

// A night counts as missing only if the next one is late by more than half the interval.
std::uint64_t missing_nights(const std::vector<PastNight>& past, double every_seconds) {
  if (past.size() < 2 || every_seconds <= 0) return 0;
  const std::int64_t last = past.back().ended_at, before = past[past.size() - 2].ended_at;
  if (before <= 0 || last <= before) return 0;
  const double nights = std::round(static_cast<double>(last - before) / every_seconds);
  return static_cast<std::uint64_t>(std::clamp(nights - 1, 0.0, 1e9));
}

}  // namespace harness::nightly
