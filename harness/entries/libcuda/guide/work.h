// SPDX-License-Identifier: Apache-2.0
// Work: the calls that do something, unlike those that only query the device and its context.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace harness::entries {

/// Returns whether a function is one of memory, streams, kernels or graphs.
inline bool is_work(std::string_view function) {
  constexpr std::array<std::string_view, 7> kBegins{"cuMem",    "cuStream",  "cuLaunch", "cuGraph",
                                                    "cuModule", "cuLibrary", "cuArray"};
  return std::ranges::any_of(kBegins,
                             [&](std::string_view begin) { return function.starts_with(begin); });
}

}  // namespace harness::entries
