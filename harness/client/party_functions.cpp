// SPDX-License-Identifier: Apache-2.0
#include "harness/client/party_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace harness::client {
namespace {

/// Returns the innermost function of the user's code, after its file name, or "".
std::string function_of(const Place& place) {
  const auto users = std::ranges::find_if(place, [](const Frame& one) { return !one.is_library; });
  if (users == place.end()) return {};
  const std::string_view file = users->file_name();
  if (users->function.empty()) return fmt::format("{}+{:#x}", file, users->offset);
  return fmt::format("{}:{}", file, users->function);
}

}  // namespace

std::string functions_of(const ToldFault& fault) {
  std::vector<std::string> functions;
  for (const PartyInfo& info : kParties) {
    std::string function = function_of((fault.*info.party).place);
    if (!function.empty() && std::ranges::find(functions, function) == functions.end())
      functions.push_back(std::move(function));
  }
  return fmt::format("{}", fmt::join(functions, ", "));
}

}  // namespace harness::client
