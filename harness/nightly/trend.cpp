// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/trend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "harness/base/base.h"

namespace harness::nightly {
namespace {

/// Path, variant and quantity, in the order of display.
using Key = std::tuple<std::string, std::string, Quantity>;
using Points = std::map<Key, std::vector<TrendPoint>>;

/// Nights up to a number all of whose shards ran on the same kind of machine as the last one's.
constexpr const char* kComparable =
    "SELECT night FROM shards JOIN nights ON id = night WHERE number <= :number GROUP BY night "
    "HAVING (min(machine), max(machine)) = "
    "(SELECT min(machine), max(machine) FROM shards WHERE night = :night)";

/// Adds the value of a night; 0 means that it was not recorded.
void add(Points& points, const Key& key, const Row& row, double value) {
  if (value <= 0) return;
  points[key].push_back({row.count("number"), row.text("revision"), value});
}

/// Adds speed and instructions from a row with the columns of kRates.
void add_rates(Points& points, const std::string& path, const std::string& variant,
               const Row& row) {
  const double runs = row.real("runs"), seconds = row.real("seconds");
  const double instructions = row.real("instructions"), counted = row.real("counted");
  if (seconds > 0) add(points, {path, variant, Quantity::speed}, row, runs / seconds);
  if (counted > 0)
    add(points, {path, variant, Quantity::instructions}, row, instructions / counted);
}

/// The last is the number of runs whose instructions were counted.
constexpr const char* kRates =
    "sum(runs) AS runs, sum(cells.seconds) AS seconds, sum(instructions) AS instructions, "
    "sum(CASE WHEN instructions > 0 THEN runs ELSE 0 END) AS counted";

void add_variants(Points& points, Database& database, const Fields& terms) {
  for (const Row& row : database.query(
           fmt::format(
               "SELECT number, max(revision) AS revision, path, variant, {} FROM cells JOIN "
               "nights ON id = night WHERE night IN ({}) AND (path, variant) IN (SELECT "
               "path, variant FROM cells WHERE night = :night) GROUP BY number, path, variant "
               "ORDER "
               "BY number",
               kRates, kComparable),
           terms))
    add_rates(points, row.text("path"), row.text("variant"), row);
}

void add_whole(Points& points, Database& database, const Fields& terms, const std::string& target) {
  Fields arguments = terms;
  arguments.push_back({"target", target});
  for (const Row& row : database.query(
           fmt::format(
               "SELECT number, max(revision) AS revision, {} FROM cells JOIN nights ON id = "
               "night WHERE night IN ({}) AND target = :target GROUP BY number ORDER BY "
               "number",
               kRates, kComparable),
           arguments)) {
    add_rates(points, "", "", row);
    add(points, {"", "", Quantity::executions}, row, row.real("runs"));
  }
  for (const Row& row : database.query(
           fmt::format(
               "SELECT number, max(revision) AS revision, max(peak_bytes) AS peak_bytes FROM "
               "shards JOIN nights ON id = night WHERE night IN ({}) AND target = :target "
               "GROUP BY number ORDER BY number",
               kComparable),
           arguments))
    add(points, {"", "", Quantity::memory}, row, row.real("peak_bytes"));
}

Trend trend_of(const Key& key, std::vector<TrendPoint> points) {
  if (points.size() > kMostTrendNights)
    points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(kMostTrendNights));
  const auto& [path, variant, quantity] = key;
  Trend trend{path, variant, quantity, std::move(points), {}};
  std::vector<double> values;
  values.reserve(trend.points.size());
  for (const TrendPoint& point : trend.points) values.push_back(point.value);
  ChangeRule rule;
  rule.seed = mix(hash_name(trend.name()), raw(quantity));
  trend.changes = change_points(values, rule);
  return trend;
}

}  // namespace

std::string_view to_text(Quantity quantity) {
  static constexpr std::array<std::string_view, 4> kWords{"speed", "executions", "memory",
                                                          "instructions"};
  return kWords[raw(quantity)];
}

bool more_is_better(Quantity quantity) {
  return quantity == Quantity::speed || quantity == Quantity::executions;
}

std::string Trend::name() const { return path.empty() ? "all" : path + "/" + variant; }

bool Trend::is_worse(const ChangePoint& change) const {
  return (change.ratio < 1) == more_is_better(quantity);
}

std::vector<Trend> trends_of(Database& database, const std::string& night, const Terms& terms) {
  Points points;
  const Fields arguments{{"number", whole(terms.number)}, {"night", night}};
  add_whole(points, database, arguments, terms.target);
  add_variants(points, database, arguments);
  std::vector<Trend> trends;
  for (auto& [key, series] : points)
    if (series.size() > 1) trends.push_back(trend_of(key, std::move(series)));
  return trends;
}

}  // namespace harness::nightly
