// SPDX-License-Identifier: Apache-2.0
// How it works. By default each column is as wide as its widest cell. If that is too wide, elastic
// columns are narrowed first, but stay readable. Then columns of numbers are left out, from the
// right, and the table lists them. Finally all columns are narrowed, and their text is wrapped.
#include "harness/report/table.h"

#include <algorithm>
#include <numeric>

#include "harness/base/base.h"

namespace harness::reports {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kReadable =
    24;  ///< Least width of an elastic column while numbers can be left out.
constexpr std::size_t kLeast = 8;

/// Breaks `text` into lines of at most `width` columns. A long word is broken, preferably after an
/// underscore or a slash.
std::vector<std::string> broken(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  const std::string at_spaces = wrapped(text, width, 0);
  for (std::string_view rest = at_spaces;;) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    while (display_width(line) > width) {
      std::size_t bytes = prefix_bytes(line, width);
      const std::size_t joint = line.substr(0, bytes).find_last_of("_/");
      if (joint != std::string_view::npos && joint > 0) bytes = joint + 1;
      lines.emplace_back(line.substr(0, bytes));
      line.remove_prefix(bytes);
    }
    lines.emplace_back(line);
    if (end == rest.size()) return lines;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

/// The columns that are shown, and their widths.
struct Table::Layout {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> widths;

  std::size_t total() const {
    return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  }
};

void Table::add(std::vector<Cell> row) {
  HARNESS_CHECK(row.size() == columns_.size(), "a row has a cell per column");
  rows_.push_back(std::move(row));
}

Table::Layout Table::natural() const {
  Layout layout;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i].text));
    layout.columns.push_back(i);
    layout.widths.push_back(width);
  }
  return layout;
}

/// Narrows columns, the widest first, down to `least`, until the table fits.
void Table::narrow(Layout& layout, std::size_t width, std::size_t least, bool all) const {
  for (std::size_t total = layout.total(); total > width; --total) {
    std::size_t widest = layout.columns.size();
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const Column& column = columns_[layout.columns[i]];
      const bool gives = column.elastic || (all && column.align == Align::left);
      if (gives && layout.widths[i] > least &&
          (widest == layout.columns.size() || layout.widths[i] > layout.widths[widest]))
        widest = i;
    }
    if (widest == layout.columns.size()) return;
    --layout.widths[widest];
  }
}

/// Leaves out columns of numbers, from the right, until the table fits.
void Table::leave_out(Layout& layout, std::size_t width) const {
  for (std::size_t i = layout.columns.size(); i-- > 0 && layout.total() > width;) {
    if (columns_[layout.columns[i]].align != Align::right) continue;
    const std::size_t first = i > 0 && columns_[layout.columns[i - 1]].with_next ? i - 1 : i;
    for (auto* list : {&layout.columns, &layout.widths})
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(first),
                  list->begin() + static_cast<std::ptrdiff_t>(i) + 1);
    i = first;
  }
}

std::size_t Table::width() const { return natural().total(); }

Table::Layout Table::layout(const Terminal& terminal) const {
  const std::size_t width = terminal.width;
  Layout layout = natural();
  narrow(layout, width, kReadable, false);
  leave_out(layout, width);
  narrow(layout, width, kLeast, false);
  narrow(layout, width, kLeast, true);
  return layout;
}

std::string Table::line(const std::vector<Cell>& row, const Layout& layout,
                        const Terminal& terminal) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    cells.push_back(broken(row[layout.columns[i]].text, layout.widths[i]));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t y = 0; y < height; ++y) {
    std::size_t room = 0;  // Pending spaces, which are written before the next words only.
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string words = y < cells[i].size() ? cells[i][y] : "";
      const std::size_t padding =
          layout.widths[i] - std::min(display_width(words), layout.widths[i]);
      const bool right = columns_[layout.columns[i]].align == Align::right;
      if (right) room += padding;
      if (!words.empty()) {
        text += std::string(room, ' ') + terminal.paint(row[layout.columns[i]].colour, words);
        room = 0;
      }
      room += kGap + (right ? 0 : padding);
    }
    text += '\n';
  }
  return text;
}

std::string Table::left_out(const Layout& layout) const {
  std::string names;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (std::find(layout.columns.begin(), layout.columns.end(), i) == layout.columns.end())
      names += (names.empty() ? "" : ", ") + columns_[i].title;
  return names;
}

std::string Table::to_string(const Terminal& terminal) const {
  const Layout shown = layout(terminal);
  std::vector<Cell> titles;
  std::vector<Cell> rules(columns_.size(), Cell(""));
  titles.reserve(columns_.size());
  for (const Column& column : columns_) titles.push_back({column.title, Colour::bold});
  for (std::size_t i = 0; i < shown.columns.size(); ++i)
    rules[shown.columns[i]] = {std::string(shown.widths[i], '-'), Colour::dim};
  std::string text = line(titles, shown, terminal) + line(rules, shown, terminal);
  for (const auto& row : rows_) text += line(row, shown, terminal);
  if (const std::string names = left_out(shown); !names.empty())
    text += terminal.paint(Colour::dim, wrapped("no room for: " + names, terminal.width, 2)) + '\n';
  return text;
}

}  // namespace harness::reports
