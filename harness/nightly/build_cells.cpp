// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/build_cells.h"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

namespace harness::nightly {

void add_build_cell(Database& database, const std::string& night, std::uint64_t shard,
                    const CellRecord& record) {
  const Cell& cell = record.cell;
  database.insert("build_cells", {{"night", night},
                                  {"shard", whole(shard)},
                                  {"path", cell.path},
                                  {"variant", cell.variant},
                                  {"build", cell.build},
                                  {"seed", fmt::format("{}", cell.seed)},
                                  {"planned_runs", whole(cell.budget.runs)},
                                  {"planned_seconds", cell.budget.seconds},
                                  {"runs", whole(record.runs)},
                                  {"seconds", record.seconds},
                                  {"why_not", record.why_not},
                                  {"inputs_given", whole(record.inputs.given)},
                                  {"inputs_survived", whole(record.inputs.survived)}});
}

// Inputs are hexadecimal digits, separated by spaces.
void keep_inputs(Database& database, std::uint64_t number, const CellRecord& record) {
  if (record.inputs.kept.empty()) return;
  database.insert(
      "inputs",
      {{"path", record.cell.path},
       {"variant", record.cell.variant},
       {"number", whole(number)},
       {"inputs", fmt::format("{}", fmt::join(record.inputs.kept, " "))}},
      "ON CONFLICT DO UPDATE SET number = excluded.number, inputs = excluded.inputs WHERE (number, "
      "inputs) < (excluded.number, excluded.inputs)");
}

std::vector<VariantInputs> kept_inputs(Database& database) {
  std::vector<VariantInputs> all;
  for (const Row& row :
       database.query("SELECT path, variant, inputs FROM inputs ORDER BY path, variant")) {
    std::istringstream words(row.text("inputs"));
    all.push_back(
        {row.text("path"), row.text("variant"), {std::istream_iterator<std::string>(words), {}}});
  }
  return all;
}

std::vector<BuildSearches> build_searches_of(Database& database, const std::string& night) {
  std::vector<BuildSearches> searches;
  for (const Row& row : database.query(
           "SELECT build, max(why_not) AS why_not, count(DISTINCT path || '/' || variant) AS "
           "cells, "
           "count(DISTINCT CASE WHEN why_not <> '' THEN path || '/' || variant END) AS missed, "
           "sum(runs) AS runs, sum(seconds) AS seconds, sum(inputs_given) AS given, "
           "sum(inputs_survived) AS survived FROM build_cells WHERE night = :night GROUP BY build "
           "ORDER BY build",
           {{"night", night}}))
    searches.push_back({.build = row.text("build"),
                        .why_not = row.text("why_not"),
                        .variants = row.count("cells"),
                        .not_run = row.count("missed"),
                        .runs = row.count("runs"),
                        .seconds = row.real("seconds"),
                        .inputs_given = row.count("given"),
                        .inputs_survived = row.count("survived")});
  return searches;
}

}  // namespace harness::nightly
