// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/build_cells.h"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

namespace harness::nightly {

void add_build_cell(Database& database, const std::string& night, std::uint64_t shard,
                    const CellRecord& record) {
  const Cell& cell = record.cell;
  database.query(
      "INSERT INTO build_cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {night, whole(shard), cell.path, cell.variant, cell.build, fmt::format("{}", cell.seed),
       whole(cell.budget.runs), cell.budget.seconds, whole(record.runs), record.seconds,
       record.why_not, whole(record.inputs.given), whole(record.inputs.survived)});
}

// Inputs are hexadecimal digits, separated by spaces.
void keep_inputs(Database& database, std::uint64_t number, const CellRecord& record) {
  if (record.inputs.kept.empty()) return;
  database.query(
      "INSERT INTO inputs VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET number = excluded.number, "
      "inputs = excluded.inputs WHERE (number, inputs) < (excluded.number, excluded.inputs)",
      {record.cell.path, record.cell.variant, whole(number),
       fmt::format("{}", fmt::join(record.inputs.kept, " "))});
}

std::vector<VariantInputs> kept_inputs(Database& database) {
  std::vector<VariantInputs> all;
  for (const Row& row :
       database.query("SELECT path, variant, inputs FROM inputs ORDER BY path, variant")) {
    std::istringstream words(text(row[2]));
    all.push_back({text(row[0]), text(row[1]), {std::istream_iterator<std::string>(words), {}}});
  }
  return all;
}

std::vector<BuildSearches> build_searches_of(Database& database, const std::string& night) {
  std::vector<BuildSearches> searches;
  for (const Row& row : database.query(
           "SELECT build, max(why_not), count(DISTINCT path || '/' || variant), count(DISTINCT "
           "CASE WHEN why_not <> '' THEN path || '/' || variant END), sum(runs), sum(seconds), "
           "sum(inputs_given), sum(inputs_survived) FROM "
           "build_cells WHERE night = ? GROUP BY build ORDER BY build",
           {night}))
    searches.push_back({text(row[0]), text(row[1]), count_at(row, 2), count_at(row, 3),
                        count_at(row, 4), std::get<double>(row[5]), count_at(row, 6),
                        count_at(row, 7)});
  return searches;
}

}  // namespace harness::nightly
