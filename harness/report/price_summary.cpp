// SPDX-License-Identifier: Apache-2.0
// How it works. The ordinary use has the price itself. Each further class only has the ratio of the
// byte turns to those of the cheapest variant, because sums over other programs would be different
// numbers with the same meaning.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/base.h"
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
    {"calls", &Price::calls},     {"births", &Price::allocations},    {"delayed", &Price::delayed},
    {"peak", &Price::peak_bytes}, {"byte turns", &Price::byte_turns},
};

/// Returns the number of programs on which the variant itself fails. Programs that are vacuous, or
/// break the contract, do not count.
std::uint64_t failed(const VariantPrice& row) {
  std::uint64_t count = 0;
  for (const auto& [cause, programs] : row.failures)
    if (cause != "vacuous" && cause != "caller error") count += programs;
  return count;
}

/// Returns the word that replaces a price; "" if the variant has one.
std::string instead(const VariantPrice& row) {
  if (failed(row) > 0) return "fails";
  return row.compared ? "" : "vacuous";
}

std::uint64_t least_byte_turns(const PriceTable& table) {
  std::uint64_t least = 0;
  for (const VariantPrice& row : table.variants)
    if (row.compared && (least == 0 || row.price.byte_turns < least)) least = row.price.byte_turns;
  return std::max<std::uint64_t>(least, 1);
}

void add_price(std::vector<Cell>& cells, const VariantPrice& row) {
  const std::string word = instead(row);
  for (const Figure& figure : kFigures)
    cells.push_back(word.empty() ? Cell(grouped(row.price.*figure.number))
                                 : Cell(word, Colour::dim));
}

void add_ratio(std::vector<Cell>& cells, const PricedClass& priced, const VariantPrice& row) {
  std::string text = instead(row);
  if (text.empty())
    text = fmt::format("{:.3f}", static_cast<double>(row.price.byte_turns) /
                                     static_cast<double>(least_byte_turns(priced.table)));
  if (failed(row) > 0) text += fmt::format(" {}/{}", failed(row), priced.table.program_count);
  cells.push_back({text, instead(row).empty() ? Colour::none : Colour::dim});
}

std::vector<Cell> cells_of(const PricedPath& path, std::size_t variant) {
  std::vector<Cell> cells{{std::string(path.scenario->variants[variant].name.view())}};
  add_price(cells, path.classes.front().table.variants[variant]);
  for (std::size_t i = 1; i < path.classes.size(); ++i)
    add_ratio(cells, path.classes[i], path.classes[i].table.variants[variant]);
  return cells;
}

std::vector<Column> columns_of(const PricedPath& path) {
  std::vector<Column> columns{{"variant"}};
  for (const Figure& figure : kFigures) columns.push_back({figure.title, Align::right});
  for (std::size_t i = 1; i < path.classes.size(); ++i)
    columns.push_back({path.classes[i].name, Align::right});
  return columns;
}

}  // namespace

std::string price_summary(const std::vector<PricedPath>& paths, const Terminal& terminal) {
  HARNESS_CHECK(!paths.empty(), "a summary is of some path");
  const std::vector<Column> columns = columns_of(paths.front());
  Table table(columns);
  for (const PricedPath& path : paths) {
    std::vector<Cell> heading(columns.size(), Cell(""));
    heading[0] = {std::string(path.scenario->name.view()) + ":", Colour::bold};
    table.add(std::move(heading));
    for (std::size_t i = 0; i < path.scenario->variants.size(); ++i) table.add(cells_of(path, i));
  }
  return table.to_string(terminal);
}

}  // namespace harness::reports
