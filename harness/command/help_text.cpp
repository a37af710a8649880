// SPDX-License-Identifier: Apache-2.0
#include "harness/command/help_text.h"

#include <algorithm>

#include "harness/report/terminal.h"

namespace harness::entries {
namespace {

/// Returns the column at which a wrapped line continues: that of its description.
std::size_t hanging_of(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", begin);
  if (begin >= 20) return begin;  // A description on a separate line.
  if (begin == 0 || gap == line.npos) return begin == 0 ? 0 : begin + 2;
  return line.find_first_not_of(' ', gap);
}

bool is_command(std::string_view line) {
  return line.starts_with("  afterlife ") || line.starts_with("  source ");
}

/// Returns the last position at which the line can be broken, within the width and after its
/// indent. A command line is not broken inside quotes.
std::size_t place_to_break(std::string_view line, std::size_t least, std::size_t width,
                           bool is_command) {
  std::size_t place = line.npos;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size() && (i <= width || place == line.npos); ++i) {
    is_quoted ^= is_command && line[i] == '\'';
    if (line[i] == ' ' && i > least && !is_quoted) place = i;
  }
  return place;
}

std::string broken(std::string_view line, std::size_t width) {
  const bool command = is_command(line);
  const std::size_t hanging = command ? 6 : std::min(hanging_of(line), width / 2);
  const std::size_t room = command ? width - 2 : width;
  std::string rest(line);
  std::string made;
  while (reports::display_width(rest) > width) {
    const std::size_t place = place_to_break(rest, hanging, room, command);
    if (place == rest.npos) break;
    made += rest.substr(0, place) + (command ? " \\\n" : "\n");
    rest = std::string(hanging, ' ') + rest.substr(rest.find_first_not_of(' ', place));
  }
  return made + rest;
}

}  // namespace

std::string help_in_width(std::string_view text, std::size_t width) {
  std::string made;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    made += broken(text.substr(0, end), width) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return made;
}

std::string help_text(const CLI::App& app) {
  std::string text = app.help();
  for (const auto& [usage, commands] :
       {std::pair{"Usage: afterlife run [OPTIONS]", " -- COMMAND..."},
        {"Usage: afterlife gate [OPTIONS]", " -- BASE... -- HEAD..."}})
    if (const std::size_t place = text.find(usage); place != text.npos)
      text.insert(place + std::string_view(usage).size(), commands);
  return help_in_width(text, reports::Terminal::of(1).width);
}

}  // namespace harness::entries
