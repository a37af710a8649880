#include "harness/reports/table.h"

#include <algorithm>
#include <numeric>

#include "harness/base.h"

namespace harness::reports {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastElastic = 8;

std::string gap(std::size_t column) { return std::string(column > 0 ? kGap : 0, ' '); }

/// The last cell of a row, which may go on below.
std::string in_lines(const Cell& cell, const std::vector<std::size_t>& widths, const Terminal& terminal) {
  const std::size_t indent =
      std::accumulate(widths.begin(), widths.end() - 1, kGap * (widths.size() - 1));
  std::string text;
  std::string rest = wrapped(cell.text, widths.back(), 0);
  for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
    text += terminal.paint(cell.colour, rest.substr(0, end)) + '\n' + std::string(indent, ' ');
  return text + terminal.paint(cell.colour, rest);
}

}  // namespace

void Table::add(std::vector<Cell> row) {
  HARNESS_CHECK(row.size() == columns_.size(), "a row has a cell per column");
  rows_.push_back(std::move(row));
}

// As wide as the widest cell; where that is too much, elastic columns give way, the widest first.
std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (columns_.size() - 1));
  while (total > kWidth) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].elastic && widths[i] > kLeastElastic &&
          (widest == columns_.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == columns_.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::string Table::line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths,
                        const Terminal& terminal) const {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool last = i + 1 == row.size();
    if (last && columns_[i].elastic) return text + gap(i) + in_lines(row[i], widths, terminal) + '\n';
    const std::string words = cut(row[i].text, widths[i]);
    const std::string padding(widths[i] - display_width(words), ' ');
    text += gap(i);
    if (columns_[i].align == Align::right) text += padding;
    text += terminal.paint(row[i].colour, words);
    if (columns_[i].align == Align::left && !last) text += padding;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text + '\n';
}

std::string Table::to_string(const Terminal& terminal) const {
  const std::vector<std::size_t> width = widths();
  std::vector<Cell> titles;
  std::vector<Cell> rules;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back({columns_[i].title, Colour::bold});
    rules.push_back({std::string(width[i], '-'), Colour::dim});
  }
  std::string text = line(titles, width, terminal) + line(rules, width, terminal);
  for (const auto& row : rows_) text += line(row, width, terminal);
  return text;
}

}  // namespace harness::reports
