// SPDX-License-Identifier: Apache-2.0
#include "harness/client/border/nvcc_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace harness::client {

std::string_view without_random(std::string_view name) {
  if (!name.starts_with("tmpxft_"))
    return name;  // Then two numbers, a dash, a third, and the name.
  const std::size_t dash = name.find('-');
  const std::size_t end = dash == name.npos ? dash : name.find('_', dash);
  return end == name.npos ? name : name.substr(end + 1);
}

std::string source_name(std::string_view file) {
  constexpr std::string_view kEnd = ".cudafe1.cpp", kFor = ".compute_";
  if (!file.ends_with(kEnd)) return {};
  std::string_view name = without_random(file.substr(file.rfind('/') + 1));
  name.remove_suffix(std::min(kEnd.size(), name.size()));
  name = name.substr(0, std::min(name.rfind(kFor), name.size()));  // One of several devices.
  return name.empty() ? "" : fmt::format("{}.cu", name);
}

}  // namespace harness::client
