// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/party_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/client/outside/source_places.h"

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

/// Returns the place as older versions had it: headers of the C++ library, and code before main(),
/// counted as the user's.
Place in_former_form(const Place& place) {
  Place former = one_by_address(place);
  for (Frame& frame : former)
    if (is_of_cpp_header(frame) || is_before_main(frame)) frame.is_library = false;
  return former;
}

std::string functions_of(const ToldFault& fault, Place (*form)(const Place&)) {
  std::vector<std::string> functions;
  for (const PartyInfo& info : kParties) {
    std::string function = function_of(form((fault.*info.party).place));
    if (!function.empty() && std::ranges::find(functions, function) == functions.end())
      functions.push_back(std::move(function));
  }
  return fmt::format("{}", fmt::join(functions, ", "));
}

}  // namespace

std::string functions_of(const ToldFault& fault) {
  return functions_of(fault, [](const Place& place) { return place; });
}

std::string former_functions_of(const ToldFault& fault) {
  return functions_of(fault, in_former_form);
}

}  // namespace harness::client
