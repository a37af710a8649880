// SPDX-License-Identifier: Apache-2.0
// Path places: the source positions of code addresses that belong to paths.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace harness::entries {

/// Returns the place of each address: function, line, and a number that distinguishes it from
/// others of the same line. Empty for code outside of paths, and if llvm-symbolizer is not
/// installed.
std::vector<std::string> path_places(std::span<const std::uintptr_t> code);

}  // namespace harness::entries
