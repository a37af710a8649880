// SPDX-License-Identifier: Apache-2.0
// Own headers: the headers in device/, which clang gets in place of a toolkit's.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace harness::nvrtc {

/// Returns the name by which each is included, and its text.
std::vector<std::pair<std::string_view, std::string_view>> own_headers();

}  // namespace harness::nvrtc
