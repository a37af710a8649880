#include "harness/nvrtc/lowered_names.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace harness::nvrtc {
namespace {

constexpr std::string_view kVariable = "afterlife_name_";

/// The symbol in "... afterlife_name_2 = generic(symbol);".
std::string_view symbol_in(std::string_view line) {
  std::string_view value = line.substr(line.find('=') + 1);
  if (const std::size_t open = value.find('('); open != std::string_view::npos)
    value.remove_prefix(open + 1);
  while (value.starts_with(' ') || value.starts_with('{')) value.remove_prefix(1);
  return value.substr(0, value.find_first_of(" ),;}+"));
}

}  // namespace

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
