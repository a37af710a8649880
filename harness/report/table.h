// SPDX-License-Identifier: Apache-2.0
// Table: rows of cells in aligned columns, at most as wide as the terminal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/terminal.h"

namespace harness::reports {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool elastic = false;    ///< Is narrowed first, by wrapping, if the table is too wide.
  bool with_next = false;  ///< Is left out with the next column, which is useless alone.
};

struct Cell {
  std::string text;
  Colour colour = Colour::none;

  Cell(std::string words, Colour in = Colour::none)  // Implicit, so that rows are readable.
      : text(std::move(words)), colour(in) {}
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column.
  void add(std::vector<Cell> row);
  /// Returns whether there are no rows.
  bool empty() const { return rows_.empty(); }
  /// Returns the width of the table without any limit, in columns of a terminal.
  std::size_t width() const;
  /// Returns a header, a rule and the rows, each with a newline; last, the columns that were left
  /// out.
  std::string to_string(const Terminal& terminal) const;

 private:
  struct Layout;
  Layout natural() const;
  void narrow(Layout& layout, std::size_t width, std::size_t least, bool all) const;
  void leave_out(Layout& layout, std::size_t width) const;
  Layout layout(const Terminal& terminal) const;
  std::string line(const std::vector<Cell>& row, const Layout& layout,
                   const Terminal& terminal) const;
  std::string left_out(const Layout& layout) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace harness::reports
