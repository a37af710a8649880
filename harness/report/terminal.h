// SPDX-License-Identifier: Apache-2.0
// Terminal: properties of the output of a report: colour, terminal or file, width.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace harness::reports {

enum class Colour : std::uint8_t { none, dim, bold, red, green, yellow, blue, magenta, cyan };

/// Width of a report if it is unknown, in columns.
inline constexpr std::size_t kWidth = 100;
/// Least width that is used, because less is unreadable.
inline constexpr std::size_t kLeastWidth = 40;

struct Terminal {
  bool colour = false;
  bool live = false;           ///< A line may be overwritten.
  std::size_t width = kWidth;  ///< Width in columns.
  bool cuts = true;            ///< Lines that are too wide are cut; false for files.

  /// Returns the properties of `fd`. Colour is used only on a terminal, and not if NO_COLOR is set
  /// (no-color.org). The width comes from COLUMNS, or else from the terminal.
  static Terminal of(int fd);

  /// Returns the text, cut to `room` columns if `cuts`.
  std::string fit(std::string_view text, std::size_t room) const;

  /// Returns `text` in a colour, or unchanged if there is no colour.
  std::string paint(Colour wanted, std::string_view text) const;
};

/// Returns the width of UTF-8 text in columns. Letters count as narrow, colour codes as nothing.
std::size_t display_width(std::string_view text);

/// Returns the number of bytes in the first `width` columns of `text`, which has no colours.
std::size_t prefix_bytes(std::string_view text, std::size_t width);

/// Cuts `text` to `width` columns, with "..." at the end if it is cut. `text` has no colours.
std::string cut(std::string_view text, std::size_t width);

/// Returns "1 234 567" for 1234567.
std::string grouped(std::uint64_t number);
/// Returns a number and its unit: "1 run", "1 234 runs".
std::string counted(std::uint64_t number, std::string_view what);

/// Breaks `text` at spaces into lines of at most `width` columns. Lines after the first are
/// indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace harness::reports
