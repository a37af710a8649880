// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/nvrtc/lowered_names.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace harness::nvrtc {
namespace {

constexpr std::string_view kVariable = "afterlife_name_";

/// Returns the symbol in "... afterlife_name_2 = generic(symbol);".
std::string_view symbol_in(std::string_view line) {
  std::string_view value = line.substr(line.find('=') + 1);
  if (const std::size_t open = value.find('('); open != std::string_view::npos)
    value.remove_prefix(open + 1);
  while (value.starts_with(' ') || value.starts_with('{')) value.remove_prefix(1);
  return value.substr(0, value.find_first_of(" ),;}+"));
}

}  // namespace

/// Returns the bracket that closes `c`, or 0.
static char closing(char c) { return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '\0'; }

static bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; }

/// Returns the length of the character literal at the beginning of a text; 0 if there is none.
static std::size_t literal_bytes(std::string_view text) {
  const std::size_t last = text.size() > 1 && text[1] == '\\' ? 3 : 2;
  if (last >= text.size() || text[last] != '\'' || is_control(text[last - 1])) return 0;
  return last + 1;
}

bool is_expression(std::string_view text) {
  std::string open;  // The brackets that are still open.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (is_control(c) || std::string_view("#;\"\\?").find(c) != std::string_view::npos)
      return false;
    if (rest.starts_with("//") || rest.starts_with("/*")) return false;
    if (c == '\'') {
      const std::size_t bytes = literal_bytes(rest);
      if (bytes == 0) return false;
      i += bytes - 1;
    } else if (closing(c) != '\0') {
      open += closing(c);
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty() || open.back() != c) return false;
      open.pop_back();
    }
  }
  return open.empty() && text.find_first_not_of(" \t") != text.npos;
}

std::string name_declarations(const std::vector<std::string>& expressions) {
  std::string made;
  for (std::size_t i = 0; i < expressions.size(); ++i)
    made += fmt::format(
        "\nextern \"C\" __device__ const void* const volatile {}{} = (const void*)(\n"
        "#line 1 \"name expression\"\n{}\n);\n",
        kVariable, i, expressions[i]);
  return made;
}

std::vector<std::string> take_names(std::string& ptx, std::size_t count) {
  std::vector<std::string> names(count);
  std::string rest;
  for (std::size_t begin = 0; begin < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
    const std::string_view line = std::string_view(ptx).substr(begin, end - begin);
    begin = end;
    const std::size_t place = line.find(kVariable);
    if (place == std::string_view::npos) {
      rest += line;
      continue;
    }
    std::size_t index = count;
    const std::string_view number = line.substr(place + kVariable.size());
    std::from_chars(number.data(), number.data() + number.size(), index);
    if (index < count && line.find('=') != std::string_view::npos) names[index] = symbol_in(line);
  }
  ptx = rest;
  return names;
}

}  // namespace harness::nvrtc
