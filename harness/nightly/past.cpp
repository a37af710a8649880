#include "harness/nightly/past.h"

#include <map>

namespace harness::nightly {
namespace {

std::uint64_t count_at(const Row& row, std::size_t column) {
  return static_cast<std::uint64_t>(number(row[column]));
}

/// Returns what each night, by its number, is given by a query of two columns.
std::map<std::uint64_t, std::uint64_t> counts(Database& database, const char* statement) {
  std::map<std::uint64_t, std::uint64_t> by_night;
  for (const Row& row : database.query(statement)) by_night[count_at(row, 0)] = count_at(row, 1);
  return by_night;
}

}  // namespace

std::vector<PastNight> past_nights(Database& database, std::uint64_t number) {
  auto news = counts(database,
                     "SELECT first, count(*) FROM (SELECT min(number) AS first FROM sightings "
                     "JOIN nights ON id = night GROUP BY cause) GROUP BY first");
  auto missed = counts(database,
                       "SELECT number, count(*) FROM (SELECT number FROM cells JOIN nights ON id "
                       "= night WHERE claim = 'unsound' GROUP BY number, path, variant HAVING "
                       "sum(caught_runs) = 0) GROUP BY number");
  std::vector<PastNight> nights;
  for (const Row& row : database.query(
           "SELECT number, sum(runs), sum(cells.seconds) FROM nights JOIN cells ON night = id "
           "WHERE number <= ? GROUP BY number ORDER BY number",
           {static_cast<std::int64_t>(number)})) {
    const std::uint64_t night = count_at(row, 0);
    nights.push_back(
        {night, count_at(row, 1), std::get<double>(row[2]), news[night], missed[night]});
  }
  return nights;
}

}  // namespace harness::nightly
