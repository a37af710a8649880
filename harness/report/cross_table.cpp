// SPDX-License-Identifier: Apache-2.0
// How it works. A path's variants are columns, as many as fit. The others follow in further tables
// with the same rows.
#include <fmt/format.h>

#include <algorithm>

#include "harness/report/matrix.h"
#include "harness/report/table.h"

namespace harness::reports {
namespace {

constexpr std::size_t kGap = 2;
constexpr const char* kUnexplained = "(unexplained)";

/// If a window has several ways in, each has a row: "window, way".
std::string name_of(const WindowCell& cell) {
  return cell.way.empty() ? cell.window : cell.window + ", " + cell.way;
}

Cell text_of(const WindowCell& cell) {
  const Arrivals& runs = cell.arrivals;
  const std::string reached = grouped(runs.reached);
  switch (cell.standing) {
    case Standing::open:
      return {fmt::format("open {} of {}", grouped(runs.caught), reached), Colour::yellow};
    case Standing::closed:
      return {"closed " + reached, Colour::green};
    case Standing::refused:
      return {"refused " + grouped(runs.refused), Colour::green};
    case Standing::contract:
      return {"contract " + grouped(runs.contract), Colour::dim};
    case Standing::too_few_runs:
      return {"few " + reached, Colour::dim};
    case Standing::never_reached:
      return {"-", Colour::dim};
    case Standing::follows:
      return {"follows " + grouped(runs.caught), Colour::dim};
    case Standing::missed:
      return {"MISSED " + reached, Colour::red};
    case Standing::outside:
      return {fmt::format("OUTSIDE {} of {}", grouped(runs.caught), reached), Colour::red};
  }
  return {""};
}

Cell unexplained(const VariantRow& variant) {
  const std::uint64_t runs = variant.unexplained();
  return {grouped(runs), runs == 0 ? Colour::dim : Colour::red};
}

using Variants = std::vector<const VariantRow*>;

/// Returns the windows and kinds of a path, in the order in which its variants list them.
std::vector<std::string> names_of(const Variants& variants) {
  std::vector<std::string> names;
  for (const VariantRow* variant : variants)
    for (const WindowCell& cell : variant->windows)
      if (std::find(names.begin(), names.end(), name_of(cell)) == names.end())
        names.push_back(name_of(cell));
  return names;
}

Cell cell_of(const VariantRow& variant, const std::string& name) {
  for (const WindowCell& cell : variant.windows)
    if (name_of(cell) == name) return text_of(cell);
  return {"-", Colour::dim};
}

std::size_t width_of(const VariantRow& variant) {
  std::size_t width = display_width(variant.variant);
  for (const WindowCell& cell : variant.windows)
    width = std::max(width, display_width(text_of(cell).text));
  return width;
}

std::string table_of(const std::vector<std::string>& names, const Variants& variants,
                     const Terminal& terminal) {
  std::vector<Column> columns{{variants.front()->path}};
  for (const VariantRow* variant : variants) columns.push_back({variant->variant});
  Table table(std::move(columns));
  const auto add = [&](const std::string& title, auto cell) {
    std::vector<Cell> row{{title}};
    for (const VariantRow* variant : variants) row.push_back(cell(*variant));
    table.add(std::move(row));
  };
  for (const std::string& name : names)
    add(name, [&](const VariantRow& variant) { return cell_of(variant, name); });
  add(kUnexplained, unexplained);
  return table.to_string(terminal) + "\n";
}

/// Returns all tables of one path.
std::string tables_of(const Variants& variants, const Terminal& terminal) {
  const std::vector<std::string> names = names_of(variants);
  std::size_t first = std::max(display_width(kUnexplained), display_width(variants.front()->path));
  for (const std::string& name : names) first = std::max(first, display_width(name));
  std::string text;
  Variants block;
  std::size_t width = first;
  for (const VariantRow* variant : variants) {
    const std::size_t more = kGap + width_of(*variant);
    if (!block.empty() && width + more > terminal.width) {
      text += table_of(names, std::exchange(block, {}), terminal);
      width = first;
    }
    block.push_back(variant);
    width += more;
  }
  return text + table_of(names, block, terminal);
}

/// Returns the documented refusals, such as "own keeps out of context_reused by context_spent".
std::string refusals_of(const Findings& findings) {
  std::string text;
  for (const VariantRow& variant : findings.variants)
    for (const WindowCell& cell : variant.windows)
      if (cell.standing == Standing::refused)
        text += fmt::format("{}/{} refuses {}{}\n", variant.path, variant.variant, name_of(cell),
                            cell.answer.empty() ? "" : " with " + cell.answer);
  return text;
}

}  // namespace

std::string cross_tables(const Findings& findings, const Terminal& terminal) {
  std::string text;
  Variants variants;
  for (const VariantRow& variant : findings.variants) {
    if (variant.windows.empty()) continue;
    if (!variants.empty() && variants.front()->path != variant.path)
      text += tables_of(std::exchange(variants, {}), terminal);
    variants.push_back(&variant);
  }
  if (variants.empty()) return text;
  return text + tables_of(variants, terminal) + refusals_of(findings) +
         terminal.paint(
             Colour::dim,
             wrapped(fmt::format(
                         "open: failed of the runs that reached it; closed: at least {} reached it "
                         "and none failed; few: fewer reached it; contract: an error of the caller",
                         grouped(kEnoughArrivals)),
                     terminal.width, 2)) +
         "\n\n";
}

}  // namespace harness::reports
