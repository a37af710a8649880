// SPDX-License-Identifier: Apache-2.0
#include "harness/base/process/symbols.h"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "harness/base/process/tool.h"

namespace harness {
namespace {

using Json = nlohmann::json;

/// Maximum number of addresses in one command line.
constexpr std::size_t kAtOnce = 4000;
constexpr double kSymbolizerSeconds = 600;
constexpr std::string_view kAnonymous = "(anonymous namespace)";

std::string symbolizer() {
  for (const char* name : {"llvm-symbolizer-19", "llvm-symbolizer"})
    if (std::string path = find_tool(name); !path.empty()) return path;
  throw std::runtime_error("there is no llvm-symbolizer: ./scripts/setup.sh installs it");
}

/// Returns the difference between this program's load address and its link address.
std::uintptr_t own_shift() {
  std::uintptr_t shift = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        *static_cast<std::uintptr_t*>(found) = info->dlpi_addr;
        return 1;  // The first entry is the program itself.
      },
      &shift);
  return shift;
}

/// "/a/tree/targets/x.cpp" -> "targets/x.cpp".
std::string from_root(const std::string& file) {
  for (const std::string folder : {"targets/", "scenarios/", "harness/"}) {
    if (file.starts_with(folder)) return file;
    if (const std::size_t at = file.rfind("/" + folder); at != std::string::npos)
      return file.substr(at + 1);
  }
  return file;
}

CodePlace place_of(const Json& answer) {
  const Json symbols = answer.value("Symbol", Json::array());
  if (symbols.empty()) return {};
  const Json& innermost = symbols.front();
  CodePlace place;
  place.function = name_in(innermost.value("FunctionName", ""));
  place.file = from_root(innermost.value("FileName", ""));
  place.line = innermost.value("Line", std::int64_t{0});
  return place;
}

/// Adds the places of some addresses.
void add_places(const Command& begin, std::span<const std::uintptr_t> codes,
                std::vector<CodePlace>& places) {
  Command command = begin;
  const std::uintptr_t shift = own_shift();
  for (const std::uintptr_t code : codes) command.push_back(fmt::format("{:#x}", code - shift));
  const ProcessEnd ended = run_tool(command, {.timeout_seconds = kSymbolizerSeconds});
  const Json answers = Json::parse(ended.out, nullptr, false);
  if (ended.code != 0 || !answers.is_array() || answers.size() != codes.size())
    throw std::runtime_error(fmt::format("{} cannot find the line of an address: {}",
                                         command.front(), ended.complaint(kSymbolizerSeconds)));
  for (const Json& answer : answers) places.push_back(place_of(answer));
}

}  // namespace

std::string name_in(std::string_view signature) {
  std::string name;
  int depth = 0;  // Depth of template arguments.
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const std::string_view rest = signature.substr(i);
    if (rest.starts_with(kAnonymous)) {
      if (depth == 0) name += kAnonymous;
      i += kAnonymous.size() - 1;
    } else if (rest.starts_with('<') && !name.ends_with("operator")) {
      ++depth;
    } else if (rest.starts_with('>') && depth > 0) {
      --depth;
    } else if (depth > 0) {
      continue;
    } else if (rest.starts_with('(') && !name.ends_with("operator")) {
      break;
    } else if (rest.starts_with(' ') && !name.ends_with("operator")) {
      name.clear();  // It was the return type of a template instance.
    } else {
      name += rest.front();
    }
  }
  return name;
}

std::vector<CodePlace> places_of(std::span<const std::uintptr_t> codes) {
  const Command command{symbolizer(), "--output-style=JSON", "--demangle", "--inlines",
                        "--obj=" + std::filesystem::read_symlink("/proc/self/exe").string()};
  std::vector<CodePlace> places;
  while (!codes.empty()) {
    const std::span<const std::uintptr_t> some = codes.first(std::min(codes.size(), kAtOnce));
    add_places(command, some, places);
    codes = codes.subspan(some.size());
  }
  return places;
}

}  // namespace harness
