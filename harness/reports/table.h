// Table: rows of cells in aligned columns, at most kWidth wide.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/reports/terminal.h"

namespace harness::reports {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool elastic = false;  ///< Gives way when the table would be too wide; the last one by going on below.
};

struct Cell {
  std::string text;
  Colour colour = Colour::none;

  Cell(std::string words, Colour in = Colour::none)  // NOLINT: cells read best unwrapped.
      : text(std::move(words)), colour(in) {}
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column.
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  /// A header, a rule and the rows, each ended by a newline.
  std::string to_string(const Terminal& terminal) const;

 private:
  std::vector<std::size_t> widths() const;
  std::string line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths,
                   const Terminal& terminal) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace harness::reports
