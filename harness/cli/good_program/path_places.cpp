// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/good_program/path_places.h"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/base/process/symbols.h"
#include "harness/search/triage/triage.h"

namespace harness::entries {

std::vector<std::string> path_places(std::span<const std::uintptr_t> code) {
  std::vector<std::string> texts(code.size());
  if (code.empty()) return texts;
  std::vector<CodePlace> places;
  try {
    places = places_of(code);
  } catch (const std::runtime_error&) {
    return texts;  // llvm-symbolizer is not installed.
  }
  const auto here = reinterpret_cast<std::uintptr_t>(&triage);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (places[i].file.starts_with("targets/"))
      texts[i] = fmt::format("{} ({}:{}) #{:x}", places[i].function, places[i].file, places[i].line,
                             (code[i] - here) & 0xff'ffff);
  return texts;
}

}  // namespace harness::entries
