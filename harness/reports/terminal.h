// SPDX-License-Identifier: Apache-2.0
// Terminal: what the reader of a report looks at it with: colour or not, live or a file, how wide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace harness::reports {

enum class Colour : std::uint8_t { none, dim, bold, red, green, yellow, blue, magenta, cyan };

/// Columns that a report keeps to where no one says how many there are.
inline constexpr std::size_t kWidth = 100;
/// Fewer are taken for this many: nothing can be told in less.
inline constexpr std::size_t kLeastWidth = 40;

struct Terminal {
  bool colour = false;
  bool live = false;           ///< A line may be overwritten.
  std::size_t width = kWidth;  ///< In columns.
  bool cuts = true;            ///< A line that is wider loses its end; a file has it whole.

  /// Describes `fd`. Colour only on a terminal, and not when NO_COLOR is set (no-color.org).
  /// COLUMNS says how wide, else the terminal does.
  static Terminal of(int fd);

  /// Returns the text cut to `room` columns, where lines are.
  std::string fit(std::string_view text, std::size_t room) const;

  /// `text` in `colour`, or as it is where there is none.
  std::string paint(Colour wanted, std::string_view text) const;
};

/// How many columns UTF-8 text of narrow letters takes, colours left out.
std::size_t display_width(std::string_view text);

/// How many bytes of `text` the first `width` columns take. Without colours in it.
std::size_t prefix_bytes(std::string_view text, std::size_t width);

/// `text` cut to `width` columns, with "..." where something is missing. Without colours in it.
std::string cut(std::string_view text, std::size_t width);

/// 1234567 -> "1 234 567".
std::string grouped(std::uint64_t number);
/// Returns the number with what is counted: "1 run", "1,234 runs".
std::string counted(std::uint64_t number, std::string_view what);

/// Breaks `text` at spaces into lines of at most `width` columns, each after the first indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace harness::reports
