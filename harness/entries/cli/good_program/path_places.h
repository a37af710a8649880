// SPDX-License-Identifier: Apache-2.0
// Path places: where in the sources of paths code of this program is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace harness::entries {

/// Returns the place of each address: the function and line, and a number that tells it from others
/// of that line. Empty for code that is not of a path, and where there is no llvm-symbolizer.
std::vector<std::string> path_places(std::span<const std::uintptr_t> code);

}  // namespace harness::entries
