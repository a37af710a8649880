// SPDX-License-Identifier: Apache-2.0
// Work: distinguishes calls that do something from those that query the device and its context.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace harness::entries {

/// Returns whether a function is about memory, streams, kernels, modules or graphs.
inline bool is_work(std::string_view function) {
  constexpr std::array<std::string_view, 7> kBegins{"cuMem",    "cuStream",  "cuLaunch", "cuGraph",
                                                    "cuModule", "cuLibrary", "cuArray"};
  return std::ranges::any_of(kBegins,
                             [&](std::string_view begin) { return function.starts_with(begin); });
}

}  // namespace harness::entries
