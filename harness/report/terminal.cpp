// SPDX-License-Identifier: Apache-2.0
#include "harness/report/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace harness::reports {

namespace {

/// Returns the value of COLUMNS; 0 if it is not set or not a number.
std::size_t columns_of_environment() {
  const char* text = std::getenv("COLUMNS");
  std::size_t columns = 0;
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  return error == std::errc{} && end == digits.data() + digits.size() ? columns : 0;
}

std::size_t columns_of(int fd) {
  if (const std::size_t columns = columns_of_environment(); columns > 0) return columns;
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

Terminal Terminal::of(int fd) {
  const bool terminal = isatty(fd) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
  const bool refused = no_colour != nullptr && *no_colour != '\0';
  const std::size_t columns = columns_of(fd);
  const std::size_t width = columns > 0 ? std::max(columns, kLeastWidth) : kWidth;
  return {terminal && !refused && !dumb, terminal && !dumb, width, terminal};
}

std::string Terminal::fit(std::string_view text, std::size_t room) const {
  return cuts ? cut(text, room) : std::string(text);
}

std::string Terminal::paint(Colour wanted, std::string_view text) const {
  static constexpr std::array<std::string_view, 9> kCodes{"0",  "2",  "1",  "31", "32",
                                                          "33", "34", "35", "36"};
  if (!colour || wanted == Colour::none || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(wanted)], text);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    const bool continuation = (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
    width += continuation ? 0 : 1;
  }
  return width;
}

std::size_t prefix_bytes(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size() && columns < width; ++columns) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  }
  return end;
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  constexpr std::string_view kMark = "...";
  const std::size_t kept = width > kMark.size() ? width - kMark.size() : 0;
  return std::string(text.substr(0, prefix_bytes(text, kept))) +
         std::string(kMark.substr(0, std::min(width, kMark.size())));
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ' ');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
    const std::size_t word_width = display_width(word);
    if (column > 0 && column + 1 + word_width > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!lines.empty()) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word_width;
  }
  return lines;
}

}  // namespace harness::reports
