// SPDX-License-Identifier: Apache-2.0
// Comments: comments in a reproducer file keep their place when the file is written again.
//
// A comment belongs to the line on which it stands, or to the next line with content. A line is
// recognized by its content: a header by its first word, other lines by all their words.
#include <map>
#include <vector>

#include "harness/search/reproducer/reproducer.h"

namespace harness {
namespace {

struct Comments {
  std::vector<std::string> above;
  std::string beside;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, std::min(text.find_first_of(" \t#"), text.size()));
}

/// Returns the beginning of a line's comment, or the line's end. A fault extends to the end of its
/// line.
std::size_t comment_begin(std::string_view line) {
  if (first_word(trimmed(line)) == "fault") return line.size();
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) return i;
  }
  return line.size();
}

/// Returns the text by which a line is recognized in another version of the file.
std::string key_of(std::string_view line) {
  const std::string_view word = first_word(line);
  for (const std::string_view header :
       {"path", "variant", "config", "device", "tasks", "trace", "end"})
    if (word == header) return std::string(header);
  std::string words;
  for (const char c : line)
    if (c == ' ' || c == '\t') {
      if (words.back() != ' ') words += ' ';
    } else {
      words += c;
    }
  return words;
}

template <class Each>
void for_each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Returns the comments of a text in the order of their lines. Comments at the very end belong to
/// no line.
std::vector<std::pair<std::string, Comments>> collect(std::string_view text) {
  std::vector<std::pair<std::string, Comments>> all;
  Comments next;
  bool first = true;
  for_each_line(text, [&](std::string_view line) {
    if (std::exchange(first, false)) return;
    const std::size_t begin = comment_begin(line);
    const std::string comment(trimmed(line.substr(begin)));
    const std::string_view said = trimmed(line.substr(0, begin));
    if (said.empty()) {
      if (!comment.empty()) next.above.push_back(comment);
      return;
    }
    next.beside = comment;
    if (!next.above.empty() || !comment.empty()) all.emplace_back(key_of(said), next);
    next = {};
  });
  if (!next.above.empty()) all.emplace_back("", next);
  return all;
}

void append_lines(std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) text += line + '\n';
}

}  // namespace

std::string keep_comments(std::string_view before, std::string_view text) {
  auto all = collect(before);
  if (all.empty()) return std::string(text);
  std::map<std::string, std::size_t> place;  // The first line of `text` for each key.
  std::size_t number = 0;
  for_each_line(text,
                [&](std::string_view line) { place.try_emplace(key_of(trimmed(line)), number++); });

  std::map<std::size_t, Comments> kept;
  std::vector<std::string> homeless;
  for (auto& [key, comments] : all) {
    const auto found = place.find(key);
    std::vector<std::string>& above = found != place.end() ? kept[found->second].above : homeless;
    above.insert(above.end(), comments.above.begin(), comments.above.end());
    if (comments.beside.empty()) continue;
    std::string* beside = found != place.end() ? &kept[found->second].beside : nullptr;
    if (beside != nullptr && beside->empty())
      *beside = comments.beside;
    else
      above.push_back(comments.beside);
  }

  std::string result;
  number = 0;
  for_each_line(text, [&](std::string_view line) {
    const Comments& here = kept[number++];
    append_lines(result, here.above);
    result += std::string(line) + (here.beside.empty() ? "" : "  " + here.beside) + '\n';
    if (number == 1) append_lines(result, homeless);
  });
  return result;
}

}  // namespace harness
