// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "harness/report/price_views.h"
#include "harness/report/table.h"

namespace harness::reports {
namespace {

/// A column of exact numbers.
struct Figure {
  const char* title;
  std::uint64_t Price::* number;
};

constexpr Figure kFigures[] = {
    {"calls", &Price::calls},           {"waits", &Price::host_waits},
    {"births", &Price::allocations},    {"delayed", &Price::delayed},
    {"delay", &Price::delay_turns},     {"peak bytes", &Price::peak_bytes},
    {"byte turns", &Price::byte_turns},
};

std::string name_of(const Scenario& scenario, const VariantPrice& row) {
  return std::string(scenario.variants[row.variant].name.view());
}

/// Returns the word that replaces the price of a variant that was not compared.
std::string instead(const VariantPrice& row) {
  const bool shows_nothing = row.failures.size() == 1 && row.failures.begin()->first == "vacuous";
  return shows_nothing ? "vacuous" : "fails";
}

double time_of_op(const PricedClass& priced, const VariantPrice& row) {
  return priced.seconds[row.variant] * 1e9 /
         static_cast<double>(std::max<std::uint64_t>(row.price.ops, 1));
}

double least_time(const PricedClass& priced) {
  double least = 0;
  for (const VariantPrice& row : priced.table.variants)
    if (row.compared && (least == 0 || time_of_op(priced, row) < least))
      least = time_of_op(priced, row);
  return least;
}

std::vector<Column> columns_of(const PricedClass& priced) {
  std::vector<Column> columns{{"variant"}, {"lost", Align::right}};
  if (!priced.seconds.empty())
    for (const char* title : {"ns/op", "ratio"}) columns.push_back({title, Align::right});
  for (const Figure& figure : kFigures) columns.push_back({figure.title, Align::right});
  return columns;
}

std::vector<Cell> cells_of(const PricedClass& priced, const VariantPrice& row) {
  const std::size_t failed = priced.table.program_count - row.survived;
  std::vector<Cell> cells{{name_of(*priced.table.scenario, row)}, {grouped(failed)}};
  const std::size_t count = columns_of(priced).size();
  if (!row.compared) {
    cells.resize(count, {instead(row), Colour::dim});
    return cells;
  }
  if (!priced.seconds.empty()) {
    const double time = time_of_op(priced, row);
    cells.push_back({fmt::format("{:.0f}", time)});
    cells.push_back({fmt::format("{:.2f}", time / least_time(priced))});
  }
  for (const Figure& figure : kFigures) cells.push_back({grouped(row.price.*figure.number)});
  return cells;
}

/// Returns a line with the reasons why a variant has no price.
std::string why_none(const PriceTable& table, const VariantPrice& row) {
  std::string causes;
  for (const auto& [cause, count] : row.failures)
    causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", cause, count);
  return fmt::format("{} survives {} of {}: {}", name_of(*table.scenario, row), row.survived,
                     table.program_count, causes);
}

}  // namespace

std::string price_tables(const PricedPath& path, const Terminal& terminal) {
  std::string text;
  for (const PricedClass& priced : path.classes) {
    const PriceTable& prices = priced.table;
    text += fmt::format("{}{}  {}: {} compared\n", text.empty() ? "" : "\n",
                        terminal.paint(Colour::bold, path.scenario->name.view()), priced.words,
                        prices.compared.size());
    Table table(columns_of(priced));
    for (const VariantPrice& row : prices.variants) table.add(cells_of(priced, row));
    text += table.to_string(terminal);
    for (const VariantPrice& row : prices.variants)
      if (!row.compared) text += wrapped(why_none(prices, row), terminal.width, 2) + "\n";
  }
  return text;
}

}  // namespace harness::reports
